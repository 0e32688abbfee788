import { checkedOptions, optionsOf, timerMs, wholeNumber } from "../../../util/option-rules.js";
import { cannotStart, duckdbPath } from "./duckdb-path.js";
import type { ChildOutcome } from "./child.js";
import { type DrillInLimits, MAX_FILTER_CHARACTERS } from "../../drill-in/shared/limits.js";
import { EMPTY_REPLY, type SqlHealth, type SqlQueryReply } from "./job.js";
import type { SqlEngine, SqlEngineStarter, SqlRequest, SqlResult } from "./request.js";
import { createSqlSessions, type SqlSession, tablesOf } from "./sessions.js";
import { createRunQueue } from "../run-queue.js";
import { softTimeoutMs } from "../run-clock.js";

export type { SqlEngine, SqlEngineStarter, SqlRequest, SqlResult, SqlTable } from "./request.js";
export type { SqlTableColumns } from "./job.js";
export type { SqlColumn } from "../../describe/profile/sql/columns.js";

/** How the processes of the SQL engine are bounded. */
export interface SqlEngineOptions {
  /**
   * Memory of DuckDB in one process, in mebibytes, at least 64. Outputs of up to a third of it together are kept
   * as tables in memory, others are read from their file by every query. The process may take 384 more.
   *
   * @defaultValue `512`
   */
  readonly maxMemoryMb?: number;
  /**
   * Time after which a process that nobody asks is ended, in milliseconds.
   *
   * @defaultValue `60_000`
   */
  readonly idleMs?: number;
  /**
   * Longest time until an output can be queried, in milliseconds. Loading goes on when the query that
   * began it has run out of its own time, and the next one finds the table.
   *
   * @defaultValue `60_000`
   */
  readonly loadTimeoutMs?: number;
}

const MIN_MEMORY_MB = 64;
const schema = optionsOf({
  maxMemoryMb: wholeNumber(MIN_MEMORY_MB, 2 ** 31 - 1).optional(),
  idleMs: timerMs.optional(),
  loadTimeoutMs: timerMs.optional(),
});
const LOAD_FAULTS = {
  "timed-out": "took too long",
  "out-of-memory": "took too much memory",
  crashed: "took too much memory",
};
const NOTHING: SqlResult = { ...EMPTY_REPLY, loading: false, tables: [] };

/**
 * SQL over stored outputs, by DuckDB in processes of its own: `drillIn: { sql: sqlEngine() }`. A process
 * starts with the first query and sees the outputs of its call only; as many as `maxWorkers` go on at once and are
 * kept, with their tables, for the next query of the same outputs by the same names.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package `@duckdb/node-api` is not
 * installed, or an option cannot be used.
 */
export function sqlEngine(options: SqlEngineOptions = {}): SqlEngineStarter {
  const checked = checkedOptions<SqlEngineOptions>("sqlEngine", schema, options);
  const { maxMemoryMb = 512, idleMs = 60_000, loadTimeoutMs = 60_000 } = checked;
  const duckdb = duckdbPath();
  return (limits) => startEngine(limits, { duckdb, maxMemoryMb, idleMs, loadTimeoutMs });
}

/** The result of one query, and how it left its process when it reached it. */
interface Asked {
  readonly result: SqlResult;
  readonly health?: SqlHealth;
}

function startEngine(
  limits: DrillInLimits,
  options: Required<SqlEngineOptions> & { readonly duckdb: string },
): SqlEngine {
  const queue = createRunQueue(limits);
  const sessions = createSqlSessions({ ...options, maxSessions: limits.maxWorkers });

  async function ask(
    session: SqlSession,
    { tables: asked, query, maxOutputBytes }: SqlRequest,
    signal: AbortSignal | undefined,
  ): Promise<Asked> {
    const { timeoutMs } = limits;
    const isOne = asked.length === 1;
    const loaded = await tablesOf(session, timeoutMs, signal);
    if (loaded === "loading") return { result: { ...NOTHING, loading: true } };
    if (loaded.status === "crashed" && loaded.why !== undefined)
      return { result: { ...NOTHING, error: cannotStart(loaded.why) }, health: "spent" };
    if (loaded.status !== "done") {
      const what = isOne ? "This output is no table" : "These outputs are no tables";
      const error = `${what}: loading ${LOAD_FAULTS[loaded.status]}.`;
      return { result: { ...NOTHING, error }, health: "spent" };
    }
    if (!loaded.reply.ok) {
      const { table, message } = loaded.reply;
      const error = isOne || table === "" ? message : `${table}: ${message}`;
      return { result: { ...NOTHING, error }, health: "spent" };
    }
    const { tables } = loaded.reply;
    const job = { kind: "query", query, maxOutputBytes, softTimeoutMs: softTimeoutMs(timeoutMs) };
    const outcome = await session.child.request<SqlQueryReply>(job, { timeoutMs, signal });
    if (outcome.status !== "done") {
      return { result: { ...NOTHING, ...faultOf(outcome), tables }, health: "spent" };
    }
    const { health, ...reply } = outcome.reply;
    return { result: { ...NOTHING, ...reply, tables }, health };
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
        let health: SqlHealth | undefined = "spent";
        try {
          const asked = await ask(session, request, signal);
          ({ health } = asked);
          return asked.result;
        } finally {
          sessions.release(session, health);
        }
      } finally {
        end();
      }
    },
    warm: () => sessions.warm(),
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
