import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";

import type { SqlLastWords } from "./sql-job.js";

/** How a request ended. Only `done` leaves its child alive. */
export type ChildOutcome<Reply> =
  | { readonly status: "done"; readonly reply: Reply }
  | { readonly status: "timed-out" | "out-of-memory" | "crashed" };

/** How one request is bounded. */
interface RequestBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Does not keep this process alive. */
  readonly background?: boolean;
}

/** A process of its own that answers one request at a time. */
export interface SqlChild {
  /**
   * Sends a job. The child of one that passes its time or is aborted is killed.
   *
   * @throws The signal's reason when it is aborted.
   */
  request<Reply>(job: object, bounds: RequestBounds): Promise<ChildOutcome<Reply>>;
  readonly isAlive: () => boolean;
  /** Ends the process, whatever it does; resolves when it is gone. */
  kill(): Promise<void>;
}

/** What a child needs beside DuckDB's own memory: Node, the library and the look at the records. */
const BASE_MEMORY_MB = 384;
const HEAP_MB = 192;
const SHELL = "/bin/sh";

/** Limits the memory that the process can write to, in KiB, and becomes the command that follows. */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/** Starts a child without environment, standard input and output. It never keeps this process alive. */
export function startSqlChild(maxMemoryMb: number): SqlChild {
  const child = startProcess(maxMemoryMb);
  let alive = true;
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      alive = false;
      resolve();
    };
    // An error says that it could not be started.
    child.on("exit", end).on("error", end);
  });
  child.unref();
  child.channel?.unref();

  async function kill(): Promise<void> {
    alive = false;
    // Whoever waits for its end shall not find this process ended before.
    child.ref();
    child.kill("SIGKILL");
    await gone;
  }

  return {
    async request<Reply>(job: object, { timeoutMs, signal, background = false }: RequestBounds) {
      signal?.throwIfAborted();
      if (!alive) return { status: "crashed" };
      return await new Promise<ChildOutcome<Reply>>((resolve, reject) => {
        let outOfMemory = false;
        const timer = setTimeout(() => lose("timed-out"), timeoutMs);
        if (background) timer.unref();
        const onAbort = (): void => {
          detach();
          void kill();
          reject(signal?.reason);
        };
        const onMessage = (message: Reply | SqlLastWords): void => {
          if (isLastWords(message)) {
            outOfMemory = true;
            return;
          }
          detach();
          resolve({ status: "done", reply: message });
        };
        const onExit = (): void => lose(outOfMemory ? "out-of-memory" : "crashed");
        function lose(status: "timed-out" | "out-of-memory" | "crashed"): void {
          detach();
          void kill();
          resolve({ status });
        }
        function detach(): void {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          child.off("message", onMessage).off("exit", onExit);
        }
        signal?.addEventListener("abort", onAbort, { once: true });
        child.on("message", onMessage).on("exit", onExit);
        child.send(job, (error) => {
          if (error !== null) lose("crashed");
        });
      });
    },
    isAlive: () => alive,
    kill,
  };
}

function startProcess(maxMemoryMb: number): ChildProcess {
  const limitMb = maxMemoryMb + BASE_MEMORY_MB;
  const command = [
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    fileURLToPath(new URL("./sql-worker.js", import.meta.url)),
    String(maxMemoryMb),
    String(limitMb),
  ];
  const isLimited = process.platform === "linux" && existsSync(SHELL);
  const [file = "", ...args] = isLimited
    ? [SHELL, "-c", LIMITED, String(limitMb * 1024), ...command]
    : command;
  return spawn(file, args, {
    env: {},
    cwd: parse(process.execPath).root,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    windowsHide: true,
  });
}

function isLastWords(message: unknown): message is SqlLastWords {
  return typeof message === "object" && message !== null && "lastWords" in message;
}
