import { statfsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { OffloadError } from "../../types/errors.js";
import { withSources } from "../data-source.js";
import { closedError } from "../run-queue.js";
import { orAborted } from "../../../util/abort.js";
import { type ChildOutcome, type SqlChild, startSqlChild } from "./child.js";
import type { SqlLoadJob, SqlLoadReply, SqlTable, SqlTableJob } from "./request.js";

type Loaded = ChildOutcome<SqlLoadReply>;

/** A child with the tables of one call; only its owner uses it. */
export interface SqlSession {
  readonly child: SqlChild;
  /** Of the tables that the child sees; `undefined` before it sees any. */
  key: string | undefined;
  /** For files of the child's. */
  folder: string | undefined;
  load: Promise<Loaded> | undefined;
  /** Ends what is fetched for the child. */
  readonly stop: AbortController;
  idleTimer: NodeJS.Timeout | undefined;
}

const SHARED_MEMORY = "/dev/shm";
/** How Linux calls a file system that has no disk. */
const TMPFS = 0x0102_1994;

/** Sessions that are kept for the next query of the same tables, no more and no fewer. */
export interface SqlSessions {
  /**
   * A session that nobody else uses: that of the tables if there is one, else a new one, whose tables begin to be
   * loaded.
   *
   * @throws The signal's reason when it is aborted.
   */
  open(tables: readonly SqlTable[], signal?: AbortSignal): Promise<SqlSession>;
  /** Gives a session back, which is kept unless its child is dead or spent. */
  release(session: SqlSession, isSpent: boolean): void;
  close(): Promise<void>;
}

/** Creates sessions, of which at most `maxSessions` live at once. */
export function createSqlSessions(options: {
  /** The file of DuckDB's package. */
  readonly duckdb: string;
  readonly maxSessions: number;
  readonly maxMemoryMb: number;
  readonly idleMs: number;
  readonly loadTimeoutMs: number;
}): SqlSessions {
  const { duckdb, maxSessions, maxMemoryMb, idleMs, loadTimeoutMs } = options;
  /** The one not used for longest first. */
  let idle: SqlSession[] = [];
  const alive = new Set<SqlSession>();
  let closed = false;

  function start(): SqlSession {
    const session: SqlSession = {
      child: startSqlChild(maxMemoryMb, duckdb),
      key: undefined,
      folder: undefined,
      load: undefined,
      stop: new AbortController(),
      idleTimer: undefined,
    };
    alive.add(session);
    return session;
  }

  async function end(session: SqlSession): Promise<void> {
    clearTimeout(session.idleTimer);
    idle = idle.filter((other) => other !== session);
    session.stop.abort(closedError());
    await session.child.kill();
    alive.delete(session);
    await removeFolder(session);
  }

  function rest(session: SqlSession): void {
    idle.push(session);
    session.idleTimer = setTimeout(() => void end(session), idleMs).unref();
  }

  function take(key: string): SqlSession | undefined {
    for (const dead of idle.filter(({ child }) => !child.isAlive())) void end(dead);
    const session =
      idle.find((other) => other.key === key) ?? idle.find(({ key: other }) => other === undefined);
    if (session === undefined) return undefined;
    clearTimeout(session.idleTimer);
    idle = idle.filter((other) => other !== session);
    return session;
  }

  async function load(session: SqlSession, tables: readonly SqlTable[]): Promise<void> {
    session.folder = await mkdtemp(join(parentFolder(tables), "langchain-offload-sql-"));
    const { folder, stop } = session;
    if (stop.signal.aborted) await removeFolder(session);
    stop.signal.throwIfAborted();
    session.key = keyOf(tables);
    session.load = withSources(
      outputsOf(tables),
      (output, use) => output.withSource(use, stop.signal),
      async (outputs) => {
        const jobs: SqlTableJob[] = [];
        for (const { source: given, names, layout, rowFormat, sets } of outputs) {
          let source = given;
          if ("bytes" in source) {
            const path = join(folder, `output-${jobs.length}`);
            stop.signal.throwIfAborted();
            await writeFile(path, source.bytes, { mode: 0o600, flag: "wx", signal: stop.signal });
            source = { path, start: 0, end: source.bytes.length };
          }
          jobs.push({ names, source, layout, rowFormat, sets });
        }
        const job: SqlLoadJob = { kind: "load", tables: jobs, folder };
        return await session.child.request(job, { timeoutMs: loadTimeoutMs, background: true });
      },
    );
    // A session may end while its files are being written. Who waits for the tables hears of a fault.
    const settle = async (): Promise<void> => {
      if (stop.signal.aborted) await removeFolder(session);
    };
    session.load.then(settle, settle).catch(() => undefined);
  }

  return {
    async open(tables, signal) {
      if (closed) throw closedError();
      let session = take(keyOf(tables));
      if (session === undefined) {
        const [oldest] = idle;
        if (oldest !== undefined && alive.size >= maxSessions) await end(oldest);
        session = start();
      }
      try {
        if (session.key === undefined) await orAborted(load(session, tables), signal);
        return session;
      } catch (error) {
        // Not waited for: who gives up goes at once.
        void end(session);
        throw error;
      }
    },
    release(session, isSpent) {
      if (session.child.isAlive() && !closed && !isSpent) rest(session);
      else void end(session);
    },
    async close() {
      closed = true;
      await Promise.all([...alive].map(end));
    },
  };
}

/** @throws {@link OffloadError} with code `LIMIT_EXCEEDED` where all must be in memory and the system has no such folder. */
function parentFolder(tables: readonly SqlTable[]): string {
  if (tables.every((table) => table.folder === undefined)) return tmpdir();
  if (isInMemory(SHARED_MEMORY)) return SHARED_MEMORY;
  throw new OffloadError(
    "LIMIT_EXCEEDED",
    "SQL over encrypted outputs needs a folder in memory, which this system has not. Use the other tools.",
  );
}

function isInMemory(folder: string): boolean {
  try {
    return process.platform === "linux" && statfsSync(folder).type === TMPFS;
  } catch {
    return false;
  }
}

async function removeFolder({ folder }: SqlSession): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** The same names for the same data, in any order. */
function keyOf(tables: readonly SqlTable[]): string {
  const named = tables.map(({ name, key }) => JSON.stringify([name, key]));
  return named.toSorted().join("\n");
}

/** Each output once, with all its names. */
function outputsOf(
  tables: readonly SqlTable[],
): readonly (SqlTable & { readonly names: readonly string[] })[] {
  const outputs = new Map<string, SqlTable & { readonly names: string[] }>();
  for (const table of tables) {
    const output = outputs.get(table.key) ?? { ...table, names: [] };
    output.names.push(table.name);
    outputs.set(table.key, output);
  }
  return [...outputs.values()];
}

/**
 * Waits for the tables of a session, or gives `"loading"` after `waitMs`; the tables go on loading then.
 *
 * @throws The signal's reason when it is aborted; what `withSource` throws.
 */
export async function tablesOf(
  { load }: SqlSession,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Loaded | "loading"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"loading">((resolve) => {
    timer = setTimeout(() => resolve("loading"), waitMs);
  });
  try {
    return await orAborted(Promise.race([load ?? { status: "crashed" as const }, late]), signal);
  } finally {
    clearTimeout(timer);
  }
}
