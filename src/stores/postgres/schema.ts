import type { ZodType } from "zod";

import { rule } from "../../util/option-rules.js";
import { inTransaction, type PostgresPool } from "./client.js";

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

/** The columns of both, by name: a table of one of these names that has others is somebody else's. */
const COLUMNS = {
  artifacts: "expires_at bigint, id text, record text, scope text",
  chunks: "chunk integer, data bytea, id text",
};

/**
 * Creates the tables if they are missing; several processes may do so at once.
 *
 * @throws Error when one is missing, and a table of the name of the other is somebody else's.
 */
export async function createTables(
  pool: PostgresPool,
  { artifacts, chunks }: PostgresTables,
): Promise<void> {
  await inTransaction(pool, async (query) => {
    // CREATE ... IF NOT EXISTS fails when two run at the same moment.
    await query("SELECT pg_advisory_xact_lock(hashtext($1))::text", [
      `langchain-offload ${artifacts}`,
    ]);
    // Changing tables that another process already writes to would wait for it, and it for us.
    const [found] = await query(
      `SELECT ${columnsOf("$1")} AS artifacts, ${columnsOf("$2")} AS chunks`,
      [artifacts, chunks],
    );
    const known = { artifacts: found?.["artifacts"] ?? null, chunks: found?.["chunks"] ?? null };
    if (known.artifacts !== null && known.chunks !== null) return;
    refuseForeign(artifacts, known.artifacts, COLUMNS.artifacts);
    refuseForeign(chunks, known.chunks, COLUMNS.chunks);
    // Bodies without artifacts, which nobody can reach.
    if (known.chunks !== null) await query(`DROP TABLE ${chunks}`);
    // "C": ids sort by their bytes in every database. Expiry in Unix milliseconds.
    await query(`CREATE TABLE IF NOT EXISTS ${artifacts} (
      id text COLLATE "C" PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      record text NOT NULL,
      expires_at bigint NOT NULL,
      UNIQUE (scope, id)
    )`);
    await query(`CREATE TABLE IF NOT EXISTS ${chunks} (
      id text COLLATE "C" NOT NULL REFERENCES ${artifacts} (id) ON DELETE CASCADE,
      chunk integer NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (id, chunk)
    )`);
    // Kept as it comes, so that a part of a chunk is read without unpacking all of it.
    await query(`ALTER TABLE ${chunks} ALTER COLUMN data SET STORAGE EXTERNAL`);
    await query(`CREATE INDEX IF NOT EXISTS ${indexOf(artifacts)} ON ${artifacts} (expires_at)`);
  });
}

/** The columns of a table that has them, of another one `NULL`. */
function columnsOf(table: string): string {
  return `(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attname)
    FROM pg_attribute WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped)`;
}

function refuseForeign(table: string, columns: unknown, own: string): void {
  if (columns === null || columns === own) return;
  throw new Error(
    `The table ${table} is not this store's (its columns are ${own}): pass another name as \`table\``,
  );
}

function indexOf(artifacts: string): string {
  return `${artifacts.slice(artifacts.lastIndexOf(".") + 1, -1)}_expiry"`;
}
