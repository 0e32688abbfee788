import { setTimeout as wait } from "node:timers/promises";
import type { ZodType } from "zod";
import { withDeadline } from "../../util/abort.js";
import { codeOf } from "../../util/files.js";
import type { ErrorEmitter } from "../../core/store/store-driver.js";
import { rule } from "../../util/option-rules.js";

/** The part of a `pg` client that is used. */
export interface PostgresClient {
  query(query: {
    text: string;
    values?: unknown[];
  }): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

/** The part of a `pg` pool that is used: `new Pool(...)` of `pg` fits. */
export interface PostgresPool extends ErrorEmitter {
  connect(): Promise<PostgresClient>;
}

/** PostgreSQL's code when it has as many connections as it may have. */
const TOO_MANY_CONNECTIONS = "53300";
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;

/** A connection, asked for again while the server has none left: others, of this pool too, give theirs back soon. */
async function connectionOf(pool: PostgresPool, timeoutMs: number): Promise<PostgresClient> {
  const until = performance.now() + timeoutMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await pool.connect();
    } catch (error) {
      const isLate = performance.now() + waitMs >= until;
      if (isLate || codeOf(error) !== TOO_MANY_CONNECTIONS) throw error;
    }
    // Not all at the same moment.
    await wait(waitMs * (0.5 + Math.random() / 2));
  }
}

/** The same pool, whose connections and statements are waited for a bounded time. */
export function boundedPool(pool: PostgresPool, timeoutMs: number): PostgresPool {
  const late = `PostgreSQL has not answered within ${timeoutMs} ms.`;
  return {
    connect: async () => {
      const connecting = connectionOf(pool, timeoutMs);
      let client: PostgresClient;
      try {
        client = await withDeadline({ timeoutMs, late }, () => connecting);
      } catch (error) {
        // One that comes too late goes back to the pool.
        connecting.then(
          (unused) => unused.release(),
          () => undefined,
        );
        throw error;
      }
      return {
        query: (query) => withDeadline({ timeoutMs, late }, () => client.query(query)),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
      };
    },
  };
}

/** One statement with its values. */
export type PostgresQuery = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

/**
 * Runs a job on a connection of its own. A connection on which something failed is closed and not
 * given back: nobody knows what is left on it.
 */
export async function onConnection<T>(
  pool: PostgresPool,
  job: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  client.on("error", ignore);
  try {
    const result = await job(async (text, values = []) => {
      const { rows } = await client.query({ text, values: [...values] });
      return rows;
    });
    failed = false;
    return result;
  } finally {
    client.removeListener("error", ignore);
    client.release(failed);
  }
}

/** Runs a job in one transaction: all of it or, when it throws, nothing. */
export async function inTransaction<T>(
  pool: PostgresPool,
  job: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  return onConnection(pool, async (query) => {
    // Whatever a database's own default is: a body that was taken cannot be taken again.
    await query("BEGIN ISOLATION LEVEL READ COMMITTED");
    // Without a commit the closed connection rolls back.
    const result = await job(query);
    await query("COMMIT");
    return result;
  });
}

// A lost connection is also emitted beside the rejected query; unheard, it would end the process.
function ignore(): void {
  return undefined;
}

/** PostgreSQL's codes for statements that were in each other's way, under a strict isolation, and for a deadlock. */
const CONFLICTS = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 10;
const CONFLICT_WAIT_MS = 20;

/** Runs a statement, and again while others are in its way: with a strict isolation as a database's default they may be. */
export async function despiteConflicts<T>(statement: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has(codeOf(error) ?? "")) throw error;
    }
    // Not all at the same moment.
    await wait(Math.random() * CONFLICT_WAIT_MS);
  }
}

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
