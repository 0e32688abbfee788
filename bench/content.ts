import { identifyContent } from "../src/core/content/identify.js";
import type { BenchRow } from "./row.js";

interface SearchResult {
  readonly results: readonly unknown[];
}

/** Measures splitting JSON into records against `JSON.parse` and one `JSON.stringify` a record. */
export async function benchContent(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { megabytes, runs } of [
    { megabytes: 10, runs: 5 },
    { megabytes: 100, runs: 3 },
  ]) {
    const text = searchResult(megabytes * 1_000_000);
    rows.push(await timeRow(`${megabytes} MB of JSON`, text, runs, 3));
    rows.push(await memoryRow(`${megabytes} MB of JSON`, text));
  }
  const pretty = JSON.stringify(parse(searchResult(10_000_000)), null, 2);
  rows.push(await timeRow("10 MB of JSON, indented", pretty, 5, 3.5));
  return rows;
}

async function timeRow(name: string, text: string, runs: number, goal: number): Promise<BenchRow> {
  const ours: number[] = [];
  const other: number[] = [];
  // The first runs are compiled on the way; a process that offloads is past that.
  await identifyContent(text);
  stringifyRecords(text);
  for (let run = 0; run < runs; run += 1) {
    globalThis.gc?.();
    ours.push(await time(() => identifyContent(text)));
    globalThis.gc?.();
    other.push(await time(() => Promise.resolve(stringifyRecords(text))));
  }
  const ratio = median(other) / median(ours);
  return {
    group: "content",
    name: `${name}: split into records`,
    ours: `${median(ours).toFixed(0)} ms`,
    other: `${median(other).toFixed(0)} ms (JSON.parse, JSON.stringify of each record, join)`,
    ratio: `${ratio.toFixed(1)} times faster`,
    goal: `at least ${goal} times faster`,
    met: ratio >= goal,
  };
}

async function memoryRow(name: string, text: string): Promise<BenchRow> {
  const size = Buffer.byteLength(text);
  const ours = (await peakBytes(() => identifyContent(text))) / size;
  // Nothing gives a turn in here, so that only what is alive at the end is seen.
  const other = (await peakBytes(() => Promise.resolve(stringifyRecords(text)))) / size;
  return {
    group: "content",
    name: `${name}: peak memory above the input`,
    ours: `${ours.toFixed(2)} times the input`,
    other: `${other.toFixed(2)} times the input, at its end`,
    ratio: `${(other / ours).toFixed(1)} times less`,
    goal: "at most 1.2 times the input",
    met: globalThis.gc === undefined ? null : ours <= 1.2,
  };
}

/** The most memory in use above what was in use before, looked at in every turn of the event loop. */
async function peakBytes(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = bytesInUse();
  let peak = before;
  let isDone = false;
  const look = (): void => {
    peak = Math.max(peak, bytesInUse());
    if (!isDone) setImmediate(look);
  };
  look();
  const result = await work();
  peak = Math.max(peak, bytesInUse());
  isDone = true;
  return result === undefined ? 0 : peak - before;
}

function bytesInUse(): number {
  // `external` counts array buffers as well.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function stringifyRecords(text: string): string {
  return parse(text)
    .results.map((record) => JSON.stringify(record))
    .join("\n");
}

function parse(text: string): SearchResult {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("results" in value))
    throw new Error("no results");
  if (!Array.isArray(value.results)) throw new Error("no results");
  return { results: value.results };
}

function searchResult(sizeBytes: number): string {
  const records: string[] = [];
  for (let id = 0, bytes = 0; bytes < sizeBytes; id += 1) {
    const record = JSON.stringify({
      id: `mem-${id}`,
      title: `Decision ${id} about the storage of tool outputs`,
      namespace: `project/${id % 17}/decisions`,
      score: id / 7,
      tags: ["offload", "storage", `t${id % 5}`],
      content: "The quick brown fox jumps over the lazy dog. ".repeat(5),
      links: { next: id + 1, isOpen: id % 2 === 0, owner: null },
    });
    bytes += record.length + 1;
    records.push(record);
  }
  return `{"query":"storage","results":[${records.join(",")}],"next":null}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
