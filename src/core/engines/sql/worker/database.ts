import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

import { RECORD_COLUMN } from "../../../profile/sql/columns.js";
import { quotedName } from "../../../profile/sql/names.js";
import type { ScannedRecords } from "./scan.js";

export interface TableFile extends Pick<ScannedRecords, "columns" | "longestBytes"> {
  readonly name: string;
  /** Its descriptor. */
  readonly file: number;
  readonly path: string;
  readonly header: boolean;
  readonly inMemory: boolean;
}

/** DuckDB reads blocks of twice this size, or of the longest line. */
const MIN_LINE_BYTES = 1024 * 1024;

export async function openDatabase(maxMemoryMb: number): Promise<DuckDBInstance> {
  return await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${maxMemoryMb}MiB`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    temp_directory: "",
  });
}

export async function systemNames(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const found = await connection.runAndReadAll(
    `SELECT view_name FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'
      UNION SELECT table_name FROM duckdb_tables() WHERE internal`,
  );
  return new Set(found.getRows().map(([name]) => String(name).toLowerCase()));
}

/** Afterwards no other file can be opened and no setting changed. Returns which tables are in memory. */
export async function createTables(
  connection: DuckDBConnection,
  files: readonly TableFile[],
): Promise<readonly boolean[]> {
  const paths = files.map(({ path }) => quotedText(path));
  await connection.run(`SET allowed_paths = [${paths.join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  const kept: boolean[] = [];
  for (const file of files) kept.push(await createTable(connection, file));
  await connection.run("SET lock_configuration = true");
  return kept;
}

async function createTable(
  connection: DuckDBConnection,
  { name: given, path, columns, header, inMemory, longestBytes }: TableFile,
): Promise<boolean> {
  const name = quotedName(given);
  const isRecord = columns[0] === RECORD_COLUMN;
  const types = isRecord
    ? "{json: 'JSON'}"
    : `{${columns.map(({ name, type }) => `${quotedName(name)}: ${quotedText(type)}`).join(", ")}}`;
  // Columns come from all records, so only the header line does not fit.
  const file =
    `read_json(${quotedText(path)}, format = 'newline_delimited', records = ${!isRecord}, columns = ${types}, ` +
    `ignore_errors = true, maximum_object_size = ${Math.max(MIN_LINE_BYTES, longestBytes + 2)})`;
  const select = `SELECT ${isRecord ? "json AS record" : columns.map(({ name }) => quotedName(name)).join(", ")} FROM ${file}${header ? " OFFSET 1" : ""}`;
  const kept = inMemory && (await fits(connection, `CREATE TABLE ${name} AS ${select}`));
  if (!kept) await connection.run(`CREATE VIEW ${name} AS ${select}`);
  return kept;
}

async function fits(connection: DuckDBConnection, statement: string): Promise<boolean> {
  try {
    await connection.run(statement);
    return true;
  } catch (error) {
    if (/Out of Memory|bad_alloc/.test(String(error))) return false;
    throw error;
  }
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
