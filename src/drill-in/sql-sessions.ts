import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { OffloadError } from "../errors.js";
import { type ChildOutcome, type SqlChild, startSqlChild } from "./sql-child.js";
import type { SqlLoadJob, SqlLoadReply } from "./sql-job.js";
import type { SqlTable } from "./sql-request.js";

type Loaded = ChildOutcome<SqlLoadReply>;

/** A child with the table of one output; only its owner uses it. */
export interface SqlSession {
  readonly child: SqlChild;
  /** Of the output that the child sees; `undefined` before it sees one. */
  key: string | undefined;
  /** For files of the child's. */
  folder: string | undefined;
  load: Promise<Loaded> | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

/** Sessions that are kept for the next query of their output. */
export interface SqlSessions {
  /** A session that nobody else uses: that of the table if there is one, else a new one. */
  open(table: SqlTable): Promise<SqlSession>;
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

  async function load(session: SqlSession, table: SqlTable): Promise<void> {
    session.folder = await mkdtemp(join(tmpdir(), "langchain-offload-sql-"));
    const { folder } = session;
    const { layout, delimiter } = table;
    await new Promise<void>((started, fail) => {
      session.load = table.withSource(async (given) => {
        let source = given;
        if ("bytes" in source) {
          const path = join(folder, "output");
          await writeFile(path, source.bytes, { mode: 0o600, flag: "wx" });
          source = { path, start: 0, end: source.bytes.length };
        }
        const job: SqlLoadJob = { kind: "load", source, layout, delimiter, folder };
        session.key = table.key;
        started();
        return await session.child.request(job, { timeoutMs: loadTimeoutMs, background: true });
      });
      session.load.catch(fail);
    });
  }

  return {
    async open(table) {
      if (closed) throw closedError();
      let session = take(table.key);
      if (session === undefined) {
        const [oldest] = idle;
        if (oldest !== undefined && alive.size >= maxSessions) await end(oldest);
        session = start();
      }
      try {
        if (session.key === undefined) await load(session, table);
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

/**
 * Waits for the table of a session, or gives `"loading"` after `waitMs`.
 *
 * @throws The signal's reason when it is aborted; the table goes on loading.
 */
export async function tableOf(
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
