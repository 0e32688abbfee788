import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { OffloadError } from "../errors.js";
import { withSources } from "./data-source.js";
import { type ChildOutcome, type SqlChild, startSqlChild } from "./sql-child.js";
import type { SqlLoadJob, SqlLoadReply, SqlTableJob } from "./sql-job.js";
import type { SqlTable } from "./sql-request.js";

type Loaded = ChildOutcome<SqlLoadReply>;

/** A child with the tables of one call; only its owner uses it. */
export interface SqlSession {
  readonly child: SqlChild;
  /** Of the tables that the child sees; `undefined` before it sees any. */
  key: string | undefined;
  /** For files of the child's. */
  folder: string | undefined;
  load: Promise<Loaded> | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

/** Sessions that are kept for the next query of the same tables, no more and no fewer. */
export interface SqlSessions {
  /** A session that nobody else uses: that of the tables if there is one, else a new one. */
  open(tables: readonly SqlTable[]): Promise<SqlSession>;
  /** Gives a session back, which is kept while its child lives. */
  release(session: SqlSession): void;
  warm(): void;
  close(): Promise<void>;
}

/** Creates sessions, of which at most `maxSessions` live at once. */
export function createSqlSessions(options: {
  readonly maxSessions: number;
  readonly maxMemoryMb: number;
  readonly idleMs: number;
  readonly loadTimeoutMs: number;
}): SqlSessions {
  const { maxSessions, maxMemoryMb, idleMs, loadTimeoutMs } = options;
  /** The one not used for longest first. */
  let idle: SqlSession[] = [];
  const alive = new Set<SqlSession>();
  let closed = false;

  function start(): SqlSession {
    const session: SqlSession = {
      child: startSqlChild(maxMemoryMb),
      key: undefined,
      folder: undefined,
      load: undefined,
      idleTimer: undefined,
    };
    alive.add(session);
    return session;
  }

  async function end(session: SqlSession): Promise<void> {
    clearTimeout(session.idleTimer);
    idle = idle.filter((other) => other !== session);
    await session.child.kill();
    alive.delete(session);
    if (session.folder) await rm(session.folder, { recursive: true, force: true });
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
    session.folder = await mkdtemp(join(tmpdir(), "langchain-offload-sql-"));
    const { folder } = session;
    await new Promise<void>((started, fail) => {
      session.load = withSources(
        outputsOf(tables),
        (output, use) => output.withSource(use),
        async (outputs) => {
          const jobs: SqlTableJob[] = [];
          for (const { source: given, names, layout, delimiter } of outputs) {
            let source = given;
            if ("bytes" in source) {
              const path = join(folder, `output-${jobs.length}`);
              await writeFile(path, source.bytes, { mode: 0o600, flag: "wx" });
              source = { path, start: 0, end: source.bytes.length };
            }
            jobs.push({ names, source, layout, delimiter });
          }
          const job: SqlLoadJob = { kind: "load", tables: jobs, folder };
          session.key = keyOf(tables);
          started();
          return await session.child.request(job, { timeoutMs: loadTimeoutMs, background: true });
        },
      );
      session.load.catch(fail);
    });
  }

  return {
    async open(tables) {
      if (closed) throw closedError();
      let session = take(keyOf(tables));
      if (session === undefined) {
        const [oldest] = idle;
        if (oldest !== undefined && alive.size >= maxSessions) await end(oldest);
        session = start();
      }
      try {
        if (session.key === undefined) await load(session, tables);
        return session;
      } catch (error) {
        await end(session);
        throw error;
      }
    },
    release(session) {
      if (session.child.isAlive() && !closed) rest(session);
      else void end(session);
    },
    warm() {
      if (!closed && alive.size === 0) rest(start());
    },
    async close() {
      closed = true;
      await Promise.all([...alive].map(end));
    },
  };
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
 * Waits for the tables of a session, or gives `"loading"` after `waitMs`.
 *
 * @throws The signal's reason when it is aborted; the tables go on loading.
 */
export async function tablesOf(
  { load }: SqlSession,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Loaded | "loading"> {
  const waiting = new AbortController();
  const given = new Promise<"loading">((resolve, reject) => {
    const timer = setTimeout(() => resolve("loading"), waitMs);
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { signal: waiting.signal });
    waiting.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  try {
    return await Promise.race([load ?? { status: "crashed" as const }, given]);
  } finally {
    waiting.abort();
  }
}

function closedError(): OffloadError {
  return new OffloadError("LIMIT_EXCEEDED", "The drill-in engine is closed.");
}
