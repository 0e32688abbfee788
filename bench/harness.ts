import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";

/** One line of the bench's table: ours against the alternative, measured in the same run. */
export interface BenchRow {
  /** The room that is measured, such as `measure`. */
  readonly group: string;
  readonly name: string;
  /** With its unit, such as `3.1 ms`. */
  readonly ours: string;
  /** The alternative in the same run, with its unit and what it is; `-` when there is none. */
  readonly other: string;
  readonly ratio: string;
  /** The goal as a sentence; `-` when there is none. */
  readonly goal: string;
  /** `null` when there is no goal, or what it compares with is missing here. */
  readonly met: boolean | null;
  /** Of a row that compares with another package: what its figures say of ours. */
  readonly comparison?: "better" | "same" | "worse";
}

/** A row; what is not given is none. */
export function row(
  given: Pick<BenchRow, "group" | "name" | "ours"> & Partial<BenchRow>,
): BenchRow {
  return { other: "-", ratio: "-", goal: "-", met: null, ...given };
}

/** A goal of at most so much, and whether it is met. */
export function atMost(value: number, most: number, unit: string): Pick<BenchRow, "goal" | "met"> {
  return { goal: `at most ${most} ${unit}`, met: value <= most };
}

/** The built package, whose workers are plain JavaScript. */
export const BUILT: string = new URL("../dist/", import.meta.url).href;
export const MEGABYTE = 1_000_000;

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

/** A time as the table shows it. */
export function ms(time: number): string {
  return `${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`;
}

export async function timeOf(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** Microseconds of a processor that this process has taken, its threads among it. */
export function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A job; what it gives back undoes it, and is not timed. */
export type Job = () => unknown;

/**
 * Median times of jobs in milliseconds, in turns so that a slow moment of the machine meets all. The runs before the first
 * warm caches and the compiler.
 */
export async function inTurns(
  jobs: readonly Job[],
  runs: number,
  { warmUps = 0 }: { readonly warmUps?: number } = {},
): Promise<number[]> {
  const times: number[][] = jobs.map(() => []);
  for (let run = -warmUps; run < runs; run += 1) {
    for (const [index, job] of jobs.entries()) {
      globalThis.gc?.();
      let undo: unknown;
      const time = await timeOf(async () => (undo = await job()));
      if (run >= 0) times[index]?.push(time);
      if (typeof undo === "function") await undo();
    }
  }
  return times.map(median);
}

/** Runs something with a folder of its own. */
export async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "offload-bench-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Figures that a module prints as JSON, in a process of its own: what ran here before has left its garbage. It finds its
 * arguments from `process.argv[1]` on.
 */
export function figuresOfProcess(
  script: string,
  args: readonly string[],
  flags: readonly string[] = [],
): readonly number[] {
  const given = [...flags, "--input-type=module", "-e", script, ...args];
  const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: "utf8" });
  const line = stdout.trim().split("\n").at(-1);
  if (!line) throw new Error(stderr);
  const figures: readonly number[] = JSON.parse(line);
  return figures;
}

/** How long the event loop is held at most while something runs, in milliseconds. */
export async function longestDelay(run: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  await wait(100);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await run();
  delays.disable();
  return delays.max / 1e6;
}

/** Lines to run something over. */
export interface DataFile {
  readonly path: string;
  readonly megabytes: number;
  readonly sizeBytes: number;
  readonly lineCount: number;
}

/** Writes lines until there are so many bytes. */
export async function writeLines(
  path: string,
  bytes: number,
  lineAt: (index: number) => string,
): Promise<DataFile> {
  const file = createWriteStream(path, { mode: 0o600 });
  let lineCount = 0;
  for (let written = 0; written < bytes;) {
    let block = "";
    for (let line = 0; line < 1000; line += 1, lineCount += 1) block += `${lineAt(lineCount)}\n`;
    written += block.length;
    if (!file.write(block)) await once(file, "drain");
  }
  file.end();
  await finished(file);
  const { size } = await stat(path);
  return { path, megabytes: Math.round(size / MEGABYTE), sizeBytes: size, lineCount };
}

/** Items between which something stands, until there are so many characters. */
export function textOf(bytes: number, between: string, itemAt: (index: number) => string): string {
  const items: string[] = [];
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const item = itemAt(index);
    items.push(item);
    length += item.length + between.length;
  }
  // One piece, as a text that came over a wire.
  return Buffer.from(items.join(between)).toString();
}
