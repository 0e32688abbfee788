import { cannotStart, DUCKDB, findDuckdb } from "./duckdb-path.js";
import type { ChildOutcome } from "./child.js";
import { type DrillInLimits, MAX_FILTER_CHARACTERS, softTimeoutMs } from "../limits.js";
import { EMPTY_REPLY, type SqlQueryReply } from "./job.js";
import type { SqlEngine, SqlOptions, SqlRequest, SqlResult } from "./request.js";
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
const NOTHING: SqlResult = { ...EMPTY_REPLY, loading: false, tables: [] };

/** The result of one query, and whether its process is no good for another. */
interface Asked {
  readonly result: SqlResult;
  readonly isSpent: boolean;
}

function spent(result: Partial<SqlResult>): Asked {
  return { result: { ...NOTHING, ...result }, isSpent: true };
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
  ): Promise<Asked> {
    const { timeoutMs } = limits;
    const isOne = asked.length === 1;
    const loaded = await tablesOf(session, timeoutMs, signal);
    if (loaded === "loading") return { result: { ...NOTHING, loading: true }, isSpent: false };
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
    const ends = { maxOutputBytes, softTimeoutMs: softTimeoutMs(timeoutMs) };
    const job = { kind: "query", query, skip, ...ends };
    const outcome = await session.child.request<SqlQueryReply>(job, { timeoutMs, signal });
    if (outcome.status !== "done") return spent({ ...faultOf(outcome), tables });
    const { isSpent, ...reply } = outcome.reply;
    return { result: { ...NOTHING, ...reply, tables }, isSpent };
  }

  return {
    async run(request, signal) {
      const { query, tables } = request;
      if (query.length > MAX_FILTER_CHARACTERS) {
        const error = `The query has ${query.length} characters; at most ${MAX_FILTER_CHARACTERS} are allowed.`;
        return { ...NOTHING, error };
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

function faultOf(outcome: Exclude<ChildOutcome<never>, { status: "done" }>): Partial<SqlResult> {
  if (outcome.status === "timed-out") return { timedOut: true };
  if (outcome.status === "out-of-memory") return { outOfMemory: true };
  return { error: "The query ended its process, most likely by its memory." };
}
