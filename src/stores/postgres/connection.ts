import { setTimeout as wait } from "node:timers/promises";
import { codeOf } from "../../util/files.js";
import { boundedBy, type ErrorEmitter } from "../remote.js";

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

export type Rows = readonly Record<string, unknown>[];

export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<Rows>;

/**
 * PostgreSQL's codes for what passes by itself: it has as many connections as it may have, statements were in each other's
 * way under a strict isolation, or in a deadlock.
 */
const PASSING = new Set(["53300", "40001", "40P01"]);
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 500;

export async function despiteOthers<T>(timeoutMs: number, job: () => Promise<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await job();
    } catch (error) {
      const isLate = performance.now() + waitMs >= until;
      if (isLate || !PASSING.has(codeOf(error) ?? "")) throw error;
    }
    // Not all at the same moment.
    await wait(waitMs * (0.5 + Math.random() / 2));
  }
}

/**
 * Runs a job on a connection of its own, each step in a bounded time. A connection on which something failed is closed and
 * not given back: nobody knows what is left on it.
 */
export async function onConnection<T>(
  pool: PostgresPool,
  timeoutMs: number,
  job: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  const bounded = boundedBy("PostgreSQL", timeoutMs);
  const connecting = despiteOthers(timeoutMs, () => pool.connect());
  const client = await bounded("a connection", () => connecting).catch((error: unknown) => {
    // One that comes too late goes back to the pool.
    connecting.then((late) => late.release(), ignore);
    throw error;
  });
  let failed = true;
  client.on("error", ignore);
  try {
    const result = await job(async (text, values = []) => {
      const query = { text, values: [...values] };
      return (await bounded("a statement", () => client.query(query))).rows;
    });
    failed = false;
    return result;
  } finally {
    client.removeListener("error", ignore);
    client.release(failed);
  }
}

export async function inTransaction<T>(
  pool: PostgresPool,
  timeoutMs: number,
  job: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  return onConnection(pool, timeoutMs, async (query) => {
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
