import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { parse } from "node:path";

import type { SqlOwnWords } from "./request.js";
import { orAborted } from "../../../util/abort.js";
import { OffloadError } from "../../types/errors.js";
import { cannotStart } from "./duckdb-path.js";
import { source } from "../worker-source/sql.js";

export type ChildOutcome<Reply> =
  | { readonly status: "done"; readonly reply: Reply }
  | { readonly status: "timed-out" }
  | { readonly status: "out-of-memory" }
  /** `why` is set if DuckDB could not be loaded. */
  | { readonly status: "crashed"; readonly why?: string };

interface RequestBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SqlChild {
  /**
   * Kills the child on a timeout or abort.
   *
   * @throws The signal's reason when it is aborted.
   */
  request<Reply>(job: object, bounds: RequestBounds): Promise<ChildOutcome<Reply>>;
  readonly isAlive: () => boolean;
  kill(): Promise<void>;
}

const BASE_MEMORY_MB = 384;
const HEAP_MB = 192;
const SHELL = "/bin/sh";

const COUNTED =
  'process.stdout.write(/VmData:\\s+(\\d+)/.exec(require("fs").readFileSync("/proc/self/status","utf8"))[1])';

/**
 * Limits writable memory in KiB. The kernel counts reserved memory too, up to half a gigabyte in some versions of V8,
 * so an idle process is measured and added.
 */
const LIMITED =
  'idle=$(unset NODE_CHANNEL_FD; exec "$2" "$3" -e "$1" 3<&- 2>/dev/null); shift; ' +
  'ulimit -d $(($0 + ${idle:-0})) 2>/dev/null; exec "$@"';

const BOOTSTRAP =
  'process.once("message", (source) => { try { (0, eval)(source) } catch (error) { ' +
  "process.send({ lastWords: String(error) }, () => process.exit(1)) } }); " +
  // The parent cannot remove the folder, and an orderly exit would wait for native code.
  'process.on("disconnect", () => { try { process.getBuiltinModule("node:fs").rmSync(process.argv.at(-2), ' +
  '{ recursive: true, force: true }) } finally { process.kill(process.pid, "SIGKILL") } }); // sql-worker';

/**
 * Without environment or standard streams. Does not keep this process alive, and ends with it.
 *
 * @param folder - The child removes it if this process ends first.
 * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` if no process can be started.
 */
export function startSqlChild(maxMemoryMb: number, folder: string, duckdb: string): SqlChild {
  const child = startProcess(maxMemoryMb, folder, duckdb);
  let alive = true;
  let lastWords: string | undefined;
  let settle: ((outcome: ChildOutcome<unknown>) => void) | undefined;
  const gone = new Promise<void>((resolve) => {
    const onGone = (): void => {
      alive = false;
      settle?.(end());
      resolve();
    };
    child.on("exit", onGone).on("error", (error) => {
      lastWords ??= error.message;
      onGone();
    });
  });
  child.on("message", (message) => {
    if (isOwnWords(message)) ({ lastWords } = message);
    else settle?.({ status: "done", reply: message });
  });
  child.unref();
  // Missing in Bun.
  if (child.channel && "unref" in child.channel) child.channel.unref();

  function end(): ChildOutcome<never> {
    if (lastWords === "out-of-memory") return { status: lastWords };
    return { status: "crashed", ...(lastWords !== undefined && { why: lastWords }) };
  }

  async function kill(): Promise<void> {
    alive = false;
    // Keeps this process alive until the child has ended.
    child.ref();
    child.kill("SIGKILL");
    await gone;
  }

  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who asks knows the reply
    async request<Reply>(job: object, { timeoutMs, signal }: RequestBounds) {
      signal?.throwIfAborted();
      if (!alive) return end();
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<ChildOutcome<Reply>>((resolve) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- who asks knows the reply
        settle = resolve as NonNullable<typeof settle>;
        timer = setTimeout(() => resolve({ status: "timed-out" }), timeoutMs);
      });
      // The child has no channel any more.
      child.send(job, (error) => {
        if (error !== null) void kill();
      });
      let isDone = false;
      // Keeps this process alive until the answer.
      child.ref();
      try {
        const outcome = await orAborted(answered, signal);
        isDone = outcome.status === "done";
        return outcome;
      } finally {
        clearTimeout(timer);
        child.unref();
        settle = undefined;
        if (!isDone) void kill();
      }
    },
    isAlive: () => alive,
    kill,
  };
}

function startProcess(maxMemoryMb: number, folder: string, duckdb: string): ChildProcess {
  const limitMb = maxMemoryMb + BASE_MEMORY_MB;
  const heap = `--max-old-space-size=${HEAP_MB}`;
  const run = "deno" in process.versions ? ["eval", `--v8-flags=${heap}`] : [heap, "-e"];
  const settings = [String(maxMemoryMb), String(limitMb), folder, duckdb];
  const command = [process.execPath, ...run, BOOTSTRAP, ...settings];
  const isLimited = process.platform === "linux" && existsSync(SHELL);
  const [file = "", ...args] = isLimited
    ? [SHELL, "-c", LIMITED, String(limitMb * 1024), COUNTED, ...command]
    : command;
  const child = spawned(file, args);
  // An event reports a process that could not start.
  child.send(source, () => {});
  return child;
}

function spawned(file: string, args: readonly string[]): ChildProcess {
  try {
    return spawn(file, args, {
      env: {},
      cwd: parse(process.execPath).root,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      windowsHide: true,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OffloadError("LIMIT_EXCEEDED", cannotStart(why), { cause: error });
  }
}

function isOwnWords(message: unknown): message is SqlOwnWords {
  return typeof message === "object" && message !== null && "lastWords" in message;
}
