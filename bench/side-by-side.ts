/** Records to run the engines over. */
export interface DataFile {
  readonly path: string;
  readonly megabytes: number;
  readonly sizeBytes: number;
}

/** Median times of both in milliseconds, run in turns so that a slow moment hits both. */
export async function alternate(
  ours: () => unknown,
  other: () => unknown,
  runs: number,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < runs; i += 1) {
    times[0].push(await timeOf(ours));
    times[1].push(await timeOf(other));
  }
  return [median(times[0]), median(times[1])];
}

async function timeOf(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** A time as the table shows it. */
export function ms(time: number): string {
  return `${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;
}
