import { createRequire } from "node:module";

import { OffloadError } from "../errors.js";
import type { DrillInLimits } from "./limits.js";
import { EMPTY_REPLY, type SqlReply } from "./sql-job.js";
import type { SqlEngine, SqlEngineStarter, SqlRequest, SqlResult } from "./sql-request.js";
import { createSqlSessions, type SqlSession, tablesOf } from "./sql-sessions.js";
import { createTurns } from "./sql-turns.js";
import { softTimeoutMs } from "./worker-pool.js";

export type {
  SqlEngine,
  SqlEngineStarter,
  SqlRequest,
  SqlResult,
  SqlTable,
} from "./sql-request.js";
export type { SqlTableColumns } from "./sql-job.js";
export type { SqlColumn } from "./sql-columns.js";

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

const PEER = "@duckdb/node-api";
const MIN_MEMORY_MB = 64;
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
  const { maxMemoryMb = 512, idleMs = 60_000, loadTimeoutMs = 60_000 } = options;
  checkNumbers({
    maxMemoryMb: [maxMemoryMb, MIN_MEMORY_MB],
    idleMs: [idleMs, 1],
    loadTimeoutMs: [loadTimeoutMs, 1],
  });
  checkPeer();
  return (limits) => startEngine(limits, { maxMemoryMb, idleMs, loadTimeoutMs });
}

function checkNumbers(numbers: Readonly<Record<string, readonly [number, number]>>): void {
  for (const [name, [value, least]] of Object.entries(numbers)) {
    if (Number.isInteger(value) && value >= least && value < 2 ** 31) continue;
    throw new OffloadError(
      "INVALID_OPTIONS",
      `${name} of sqlEngine() must be a whole number from ${least} up, got ${value}.`,
    );
  }
}

function checkPeer(): void {
  try {
    createRequire(import.meta.url).resolve(PEER);
  } catch (cause) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `sqlEngine() needs the package ${PEER}, which is not installed. Run: npm install ${PEER}`,
      { cause },
    );
  }
}

function startEngine(limits: DrillInLimits, options: Required<SqlEngineOptions>): SqlEngine {
  const turns = createTurns(limits);
  const sessions = createSqlSessions({ ...options, maxSessions: limits.maxWorkers });

  async function ask(
    session: SqlSession,
    { tables: asked, query, maxOutputBytes }: SqlRequest,
    signal: AbortSignal | undefined,
  ): Promise<SqlResult> {
    const { timeoutMs } = limits;
    const isOne = asked.length === 1;
    const loaded = await tablesOf(session, timeoutMs, signal);
    if (loaded === "loading") return { ...NOTHING, loading: true };
    if (loaded.status !== "done") {
      const what = isOne ? "This output is no table" : "These outputs are no tables";
      return { ...NOTHING, error: `${what}: loading ${LOAD_FAULTS[loaded.status]}.` };
    }
    if (!loaded.reply.ok) {
      void session.child.kill();
      const { table, message } = loaded.reply;
      return { ...NOTHING, error: isOne || table === "" ? message : `${table}: ${message}` };
    }
    const { tables } = loaded.reply;
    const job = { kind: "query", query, maxOutputBytes, softTimeoutMs: softTimeoutMs(timeoutMs) };
    const outcome = await session.child.request<SqlReply>(job, { timeoutMs, signal });
    if (outcome.status !== "done") return { ...NOTHING, ...faultOf(outcome.status), tables };
    return { ...NOTHING, ...outcome.reply, tables };
  }

  return {
    async run(request, signal) {
      const { query, tables } = request;
      if (query.length > limits.maxFilterCharacters) {
        const error = `The query has ${query.length} characters; at most ${limits.maxFilterCharacters} are allowed.`;
        return { ...NOTHING, error };
      }
      const end = await turns.take(signal);
      try {
        const session = await sessions.open(tables);
        try {
          return await ask(session, request, signal);
        } finally {
          sessions.release(session);
        }
      } finally {
        end();
      }
    },
    warm: () => sessions.warm(),
    close: () => sessions.close(),
  };
}

function faultOf(status: "timed-out" | "out-of-memory" | "crashed"): Partial<SqlResult> {
  if (status === "timed-out") return { timedOut: true };
  if (status === "out-of-memory") return { outOfMemory: true };
  return { error: "The query ended its process, most likely by its memory." };
}
