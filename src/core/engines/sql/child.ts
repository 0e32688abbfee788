import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { parse } from "node:path";

import { messageOf } from "../../../util/error-message.js";
import { orAborted } from "../../../util/abort.js";
import { OffloadError } from "../../types/errors.js";
import { source } from "../worker-source/sql.js";
import { cannotStart } from "./duckdb-path.js";
import { spent, type SqlAnswer, type SqlJob } from "./request.js";

export interface SqlChild {
  /**
   * After a timeout or abort, the child must be killed.
   *
   * @throws The signal's reason when it is aborted.
   */
  request(job: SqlJob, timeoutMs: number, signal: AbortSignal | undefined): Promise<SqlAnswer>;
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
  /** Set if DuckDB could not be loaded. */
  let lastWords: string | undefined;
  let settle: ((answer: SqlAnswer) => void) | undefined;
  const gone = new Promise<void>((resolve) => {
    const onGone = () => {
      alive = false;
      settle?.(ended());
      resolve();
    };
    child.on("exit", onGone).on("error", (error) => {
      lastWords ??= error.message;
      onGone();
    });
  });
  child.on("message", (message: SqlAnswer | { readonly lastWords: string }) => {
    if ("lastWords" in message) ({ lastWords } = message);
    else settle?.(message);
  });
  // An event reports a process that could not start.
  child.send(source, () => {});
  child.unref();
  // Missing in Bun.
  if (child.channel && "unref" in child.channel) child.channel.unref();

  function ended(): SqlAnswer {
    const died = "This ended its process, most likely by its memory.";
    return spent({ error: lastWords === undefined ? died : cannotStart(lastWords) });
  }

  async function kill() {
    alive = false;
    // Keeps this process alive until the child has ended.
    child.ref();
    child.kill("SIGKILL");
    await gone;
  }

  return {
    async request(job, timeoutMs, signal) {
      signal?.throwIfAborted();
      if (!alive) return ended();
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<SqlAnswer>((resolve) => {
        settle = resolve;
        timer = setTimeout(() => resolve(spent({ timedOut: true })), timeoutMs);
      });
      // The child has no channel any more.
      child.send(job, (error) => {
        if (error !== null) void kill();
      });
      // Keeps this process alive until the answer.
      child.ref();
      try {
        return await orAborted(answered, signal);
      } finally {
        clearTimeout(timer);
        child.unref();
        settle = undefined;
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
  try {
    return spawn(file, args, {
      env: {},
      cwd: parse(process.execPath).root,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      windowsHide: true,
    });
  } catch (error) {
    throw new OffloadError("LIMIT_EXCEEDED", cannotStart(messageOf(error)), { cause: error });
  }
}
