import { cannotStart, DUCKDB, findDuckdb } from "./duckdb-path.js";
import { type DrillInLimits, MAX_FILTER_CHARACTERS, softTimeoutMs } from "../limits.js";
import {
  NO_RESULT,
  type SqlAnswer,
  type SqlEngine,
  type SqlOptions,
  type SqlQueryJob,
  type SqlRequest,
  type SqlResult,
} from "./request.js";
import { createSqlSessions, type SqlSession, tablesOf } from "./sessions.js";
import { createRunQueue } from "../run-queue.js";

const MAX_MEMORY_MB = 512;
/** Time after which a process that nobody asks is ended. */
const IDLE_MS = 60_000;
/**
 * Longest time until outputs can be queried, unless a query may take longer. Loading goes on when the query that began it has run out of its own
 * time, and the next one finds the table.
 */
const LOAD_TIMEOUT_MS = 60_000;
const LOAD_FAULTS = {
  "timed-out": "took too long",
  "out-of-memory": "took too much memory",
  crashed: "took too much memory",
};
/** Of a process that is no good for another query. */
function spent(result: Partial<SqlResult>): SqlAnswer {
  return { result: { ...NO_RESULT, ...result }, isSpent: true };
}

/**
 * SQL over stored outputs, by DuckDB in processes of its own. A process starts with the first query and sees the
 * outputs of its call only; as many as `maxWorkers` go on at once and are kept, with their tables, for the next query
 * of the same outputs by the same names.
 */
export function createSqlEngine(
  limits: DrillInLimits,
  {
    maxMemoryMb = MAX_MEMORY_MB,
    idleMs = IDLE_MS,
    loadTimeoutMs = Math.max(LOAD_TIMEOUT_MS, limits.timeoutMs),
  }: SqlOptions & { readonly idleMs?: number; readonly loadTimeoutMs?: number } = {},
): SqlEngine {
  const queue = createRunQueue(limits);
  const { maxWorkers: maxSessions } = limits;
  // A process that finds no package says so.
  const duckdb = findDuckdb() ?? DUCKDB;
  const sessions = createSqlSessions({ duckdb, maxSessions, maxMemoryMb, idleMs, loadTimeoutMs });

  async function ask(
    session: SqlSession,
    { tables: asked, query, skip = 0, maxOutputBytes }: SqlRequest,
    signal: AbortSignal | undefined,
  ): Promise<SqlAnswer> {
    const { timeoutMs } = limits;
    const isOne = asked.length === 1;
    const loaded = await tablesOf(session, timeoutMs, signal);
    if (loaded === "loading") return { result: { ...NO_RESULT, loading: true }, isSpent: false };
    if (loaded.status === "crashed" && loaded.why !== undefined)
      return spent({ error: cannotStart(loaded.why) });
    if (loaded.status !== "done") {
      const what = isOne ? "This output is no table" : "These outputs are no tables";
      return spent({ error: `${what}: loading ${LOAD_FAULTS[loaded.status]}.` });
    }
    if (!loaded.reply.ok) {
      const { table, message } = loaded.reply;
      return spent({ error: isOne || table === "" ? message : `${table}: ${message}` });
    }
    const { tables } = loaded.reply;
    const softMs = softTimeoutMs(timeoutMs);
    const job: SqlQueryJob = { kind: "query", query, skip, maxOutputBytes, softTimeoutMs: softMs };
    const outcome = await session.child.request<SqlAnswer>(job, { timeoutMs, signal });
    switch (outcome.status) {
      case "done": {
        const { result, isSpent } = outcome.reply;
        // What is `undefined` has not come through the channel.
        return { result: { ...NO_RESULT, ...result }, isSpent };
      }
      case "timed-out":
        return spent({ tables, timedOut: true });
      case "out-of-memory":
        return spent({ tables, outOfMemory: true });
      case "crashed":
        return spent({ tables, error: "The query ended its process, most likely by its memory." });
    }
  }

  return {
    async run(request, signal) {
      const { query, tables } = request;
      if (query.length > MAX_FILTER_CHARACTERS) {
        const error = `The query has ${query.length} characters; at most ${MAX_FILTER_CHARACTERS} are allowed.`;
        return { ...NO_RESULT, error };
      }
      const end = await queue.take(signal);
      try {
        const session = await sessions.open(tables, signal);
        // Of a call that is aborted nobody waits for the tables either.
        let isSpent = true;
        try {
          const asked = await ask(session, request, signal);
          ({ isSpent } = asked);
          return asked.result;
        } finally {
          sessions.release(session, isSpent);
        }
      } finally {
        end();
      }
    },
    close: () => {
      queue.close();
      return sessions.close();
    },
  };
}
