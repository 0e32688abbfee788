import { setTimeout as wait } from "node:timers/promises";

import { withDeadline } from "../../util/abort.js";
import { codeOf } from "../../util/files.js";
import type { ErrorEmitter } from "../../core/store/hear-errors.js";

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
