import { randomUUID } from "node:crypto";
import { mkdirSync, statfsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { orAborted } from "../../../util/abort.js";
import { OffloadError } from "../../types/errors.js";
import { withSources } from "../data-source.js";
import type { DrillInLimits } from "../limits.js";
import { closedError, createRunQueue } from "../worker-pool.js";
import { type SqlChild, startSqlChild } from "./child.js";
import { DUCKDB, findDuckdb } from "./duckdb-path.js";
import {
  NO_RESULT,
  spent,
  type SqlAnswer,
  type SqlEngine,
  type SqlOptions,
  type SqlRequest,
  type SqlTable,
  type SqlTableJob,
} from "./request.js";

const MAX_MEMORY_MB = 512;
const IDLE_MS = 60_000;
const LOAD_TIMEOUT_MS = 60_000;
const SHARED_MEMORY = "/dev/shm";
const TMPFS = 0x0102_1994;

interface Session {
  readonly child: SqlChild;
  /** `undefined` until there are tables. */
  key: string | undefined;
  readonly parent: string;
  readonly folder: string;
  loaded?: SqlAnswer;
  idleTimer?: NodeJS.Timeout;
}

/** A process sees only the outputs of its call, and keeps their tables for further queries. */
export function createSqlEngine(
  limits: DrillInLimits,
  {
    maxMemoryMb = MAX_MEMORY_MB,
    idleMs = IDLE_MS,
    loadTimeoutMs = Math.max(LOAD_TIMEOUT_MS, limits.timeoutMs),
  }: SqlOptions & { readonly idleMs?: number; readonly loadTimeoutMs?: number } = {},
): SqlEngine {
  const queue = createRunQueue(limits);
  // Without the package, the process reports the fault.
  const duckdb = findDuckdb() ?? DUCKDB;
  const alive = new Set<Session>();
  /** The one that was used last is last. */
  const idle = new Set<Session>();
  const leaving = new Set<Promise<void>>();
  let isClosed = false;

  function end(session: Session) {
    clearTimeout(session.idleTimer);
    idle.delete(session);
    alive.delete(session);
    const gone = session.child
      .kill()
      // Files may still be written to it.
      .then(() => rm(session.folder, { recursive: true, force: true, maxRetries: 3 }))
      .catch(() => undefined)
      .finally(() => leaving.delete(gone));
    leaving.add(gone);
  }

  function take(tables: readonly SqlTable[]): Session {
    const key = keyOf(tables);
    const parent = parentFolder(tables);
    for (const session of idle) if (!session.child.isAlive()) end(session);
    const waiting = [...idle];
    const known =
      waiting.find((other) => other.key === key) ??
      waiting.find((other) => other.key === undefined && other.parent === parent);
    if (known !== undefined) {
      clearTimeout(known.idleTimer);
      idle.delete(known);
      known.key = key;
      return known;
    }
    const [oldest] = waiting;
    if (oldest !== undefined && alive.size >= limits.maxWorkers) end(oldest);
    return start(parent, key);
  }

  function start(parent: string, key: string | undefined): Session {
    if (isClosed) throw closedError();
    const folder = join(parent, `langchain-offload-sql-${randomUUID()}`);
    const session = { child: startSqlChild(maxMemoryMb, folder, duckdb), key, parent, folder };
    alive.add(session);
    return session;
  }

  function giveBack(session: Session, isSpent: boolean): void {
    if (!session.child.isAlive() || isClosed || isSpent) return end(session);
    idle.add(session);
    session.idleTimer = setTimeout(() => end(session), idleMs).unref();
  }

  function load(
    { child, folder }: Session,
    tables: readonly SqlTable[],
    signal: AbortSignal | undefined,
  ): Promise<SqlAnswer> {
    // From now on, the process removes the folder if this one ends first.
    mkdirSync(folder, { mode: 0o700 });
    return withSources(
      tables,
      (table, use) => table.withSource(use, signal),
      async (outputs) => {
        const jobs: SqlTableJob[] = [];
        for (const { source: given, name, layout, rowFormat, sets } of outputs) {
          let source = given;
          if ("bytes" in source) {
            const path = join(folder, `output-${jobs.length}`);
            await writeFile(path, source.bytes, { mode: 0o600, flag: "wx", signal });
            source = { path, start: 0, end: source.bytes.length };
          }
          jobs.push({ name, source, layout, rowFormat, sets });
        }
        return await child.request({ load: jobs }, loadTimeoutMs, signal);
      },
    );
  }

  async function ask(
    session: Session,
    { tables, query, skip = 0, maxOutputBytes }: SqlRequest,
    signal: AbortSignal | undefined,
  ): Promise<SqlAnswer> {
    const loaded = (session.loaded ??= await orAborted(load(session, tables, signal), signal));
    if (loaded.isSpent) {
      const { timedOut, error } = loaded.result;
      const took = `Loading was stopped: it took too ${timedOut ? "long" : "much memory"}.`;
      return spent({ error: error ?? took });
    }
    const job = { query, skip, maxOutputBytes };
    return await session.child.request(job, limits.timeoutMs, signal);
  }

  return {
    warm() {
      if (alive.size === 0 && !isClosed) giveBack(start(tmpdir(), undefined), false);
    },
    async run(request, signal) {
      const leave = await queue.take(signal);
      try {
        const session = take(request.tables);
        // Nor are the tables awaited after an abort.
        let isSpent = true;
        try {
          const answer = await ask(session, request, signal);
          ({ isSpent } = answer);
          if (isSpent && isClosed) throw closedError();
          return { ...NO_RESULT, ...answer.result };
        } finally {
          giveBack(session, isSpent);
        }
      } finally {
        leave();
      }
    },
    async close() {
      isClosed = true;
      queue.close();
      for (const session of alive) end(session);
      await Promise.all(leaving);
    },
  };
}

/** @throws {@link OffloadError} with code `LIMIT_EXCEEDED` if the system has no folder in memory. */
function parentFolder(tables: readonly SqlTable[]): string {
  if (tables.every((table) => table.folder === undefined)) return tmpdir();
  if (hasSharedMemory()) return SHARED_MEMORY;
  throw new OffloadError(
    "LIMIT_EXCEEDED",
    "SQL over encrypted outputs needs a folder in memory, which this system does not have.",
  );
}

function hasSharedMemory(): boolean {
  try {
    return process.platform === "linux" && statfsSync(SHARED_MEMORY).type === TMPFS;
  } catch {
    return false;
  }
}

function keyOf(tables: readonly SqlTable[]): string {
  const named = tables.map(({ name, key }) => JSON.stringify([name, key]));
  return named.toSorted().join("\n");
}
