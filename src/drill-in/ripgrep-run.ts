import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import type { GrepJob } from "./grep-job.js";

// A link put in a body's place since the store looked at it is not followed, and a pipe not waited for.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Read at once of a header line that is passed over. */
const SKIP_BYTES = 64 * 1024;

/** Neither a configuration file, nor guesses about binary data and encodings, nor more than one thread. */
const FIXED_FLAGS = [
  "--no-config",
  "--text",
  "--encoding=none",
  "--threads=1",
  "--color=never",
  "--no-heading",
  "--no-filename",
  "--regex-size-limit=16M",
  "--dfa-size-limit=16M",
];

/** A stored file that ripgrep reads as its standard input. */
export type FileSource = Extract<GrepJob["source"], { readonly path: string }>;

/** What bounds one run. */
export interface RunBounds {
  /** In the clock of `performance.now()`. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** How a run ended. `stopped` is the reader's own wish. */
export type RunEnd = "done" | "stopped" | "timed-out" | "failed";

/** Opens a source as the file that was stored, or gives `undefined` when it is not. */
export async function openStored(source: FileSource): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(source.path, READ);
  } catch {
    return undefined;
  }
  const stats = await file.stat();
  if (stats.isFile() && stats.size === source.end) return file;
  await file.close();
  return undefined;
}

/**
 * Runs ripgrep over a source from its `start`, without a shell and without environment. Each line that it
 * prints goes to `onLine`; `false` ends the run.
 *
 * @throws The signal's reason when it is aborted.
 */
export async function runRipgrep(
  executable: string,
  { source, flags, pattern }: { source: FileSource; flags: readonly string[]; pattern: string },
  bounds: RunBounds,
  onLine: (line: string) => boolean,
): Promise<RunEnd> {
  const file = await openStored(source);
  if (file === undefined) return "failed";
  try {
    await passOver(file, source.start);
    bounds.signal.throwIfAborted();
    const args = [...FIXED_FLAGS, ...flags, "-e", pattern, "--", "-"];
    return await pipeLines(executable, args, file.fd, bounds, onLine);
  } finally {
    await file.close();
  }
}

/** Moves the file's own position, which the child goes on from. */
async function passOver(file: FileHandle, bytes: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(bytes, SKIP_BYTES));
  for (let left = bytes; left > 0;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(left, buffer.length), null);
    if (bytesRead === 0) return;
    left -= bytesRead;
  }
}

function pipeLines(
  executable: string,
  args: readonly string[],
  input: number,
  { deadlineMs, signal }: RunBounds,
  onLine: (line: string) => boolean,
): Promise<RunEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, { env: {}, stdio: [input, "pipe", "ignore"] });
    let ended: RunEnd | undefined;
    let rest = "";
    const end = (how: RunEnd): void => {
      ended ??= how;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => end("timed-out"), Math.max(0, deadlineMs - performance.now()));
    const onAbort = (): void => end("stopped");
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout?.setEncoding("latin1");
    child.stdout?.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (ended !== undefined) return;
        if (!onLine(line)) end("stopped");
      }
    });
    child.on("error", () => {
      ended ??= "failed";
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      if (signal.aborted) reject(signal.reason);
      // 1 says that there was no match.
      else resolve(ended ?? (code === 0 || code === 1 ? "done" : "failed"));
    });
  });
}
