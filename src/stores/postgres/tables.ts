import type { ZodType } from "zod";
import { rule } from "../../util/option-rules.js";
import { inTransaction, type PostgresPool } from "./connection.js";

/** Names of the two tables, ready for SQL. */
export interface PostgresTables {
  readonly artifacts: string;
  readonly chunks: string;
}

const TABLE_PATTERN = /^(?:[A-Za-z_][A-Za-z0-9_]{0,47}\.)?[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** What the table of a store may be called. */
export const tableName: ZodType = rule(
  (value) => typeof value === "string" && TABLE_PATTERN.test(value),
  "1 to 48 letters, digits and _ that begin with no digit, and the same for a schema with a dot in front",
);

/** Names the tables of a store, whose name {@link tableName} has let through. */
export function tablesOf(table: string): PostgresTables {
  const [name, schema] = table.split(".").toReversed();
  const place = schema === undefined ? "" : `"${schema}".`;
  return { artifacts: `${place}"${name}"`, chunks: `${place}"${name}_chunk"` };
}

/** Creates the tables if they are missing; several processes may do so at once. */
export async function createTables(
  pool: PostgresPool,
  timeoutMs: number,
  { artifacts, chunks }: PostgresTables,
): Promise<void> {
  const index = `${artifacts.slice(artifacts.lastIndexOf(".") + 1, -1)}_expiry"`;
  await inTransaction(pool, timeoutMs, async (query) => {
    // CREATE ... IF NOT EXISTS fails when two run at the same moment.
    await query("SELECT pg_advisory_xact_lock(hashtext($1))::text", [
      `langchain-offload ${artifacts}`,
    ]);
    // Changing tables that another process already writes to would wait for it, and it for us.
    const [found] = await query(
      "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS are_there",
      [artifacts, chunks],
    );
    if (found?.["are_there"] === true) return;
    // "C": ids sort by their bytes in every database. Expiry in Unix milliseconds.
    await query(`CREATE TABLE IF NOT EXISTS ${artifacts} (
      id text COLLATE "C" PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      record text NOT NULL,
      expires_at bigint NOT NULL,
      UNIQUE (scope, id)
    )`);
    await query(`CREATE TABLE IF NOT EXISTS ${chunks} (
      id text COLLATE "C" NOT NULL,
      chunk integer NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (id, chunk)
    )`);
    // Kept as it comes, so that a part of a chunk is read without unpacking all of it.
    await query(`ALTER TABLE ${chunks} ALTER COLUMN data SET STORAGE EXTERNAL`);
    await query(`CREATE INDEX IF NOT EXISTS ${index} ON ${artifacts} (expires_at)`);
  });
}
