import { inTransaction, type PostgresPool } from "./postgres-client.js";

/** Names of the two tables, ready for SQL. */
export interface PostgresTables {
  readonly artifacts: string;
  readonly chunks: string;
}

const TABLE_PATTERN = /^(?:([A-Za-z_][A-Za-z0-9_]{0,47})\.)?([A-Za-z_][A-Za-z0-9_]{0,47})$/;

/**
 * Names the tables of a store.
 *
 * @throws RangeError when the name is not one or two identifiers with a dot between.
 */
export function tablesOf(table: string): PostgresTables {
  const match = TABLE_PATTERN.exec(table);
  const name = match?.[2];
  if (name === undefined) {
    throw new RangeError(
      `The table ${JSON.stringify(table.slice(0, 100))} is not allowed. ` +
        "Use letters, digits and _, at most 48, and a schema with a dot in front if you like.",
    );
  }
  const schema = match?.[1] === undefined ? "" : `"${match[1]}".`;
  return { artifacts: `${schema}"${name}"`, chunks: `${schema}"${name}_chunk"` };
}

/** Creates the tables if they are missing; several processes may do so at once. */
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
    const [row] = await query(
      "SELECT to_regclass($1) IS NOT NULL AS artifacts, to_regclass($2) IS NOT NULL AS chunks",
      [artifacts, chunks],
    );
    if (row?.["artifacts"] === true && row["chunks"] === true) return;
    // Bodies without artifacts, which nobody can reach.
    if (row?.["artifacts"] === false) await query(`DROP TABLE IF EXISTS ${chunks}`);
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

function indexOf(artifacts: string): string {
  return `${artifacts.slice(artifacts.lastIndexOf(".") + 1, -1)}_expiry"`;
}
