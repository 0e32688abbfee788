import { spawnSync } from "node:child_process";

import type { BenchRow } from "./row.js";

const MEGABYTE = 1_000_000;
const STREAM_BYTES = 1_000_000_000;
const GOAL_MEGABYTES = 64;

/** In a process of its own: what ran here before has left its garbage. */
const SCRIPT = `
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const [core, kind, wanted, job] = process.argv.slice(1);
const { createOffloader, fileStore } = await import(core);
const directory = mkdtempSync(join(tmpdir(), "bench-streams-"));
const offloader = createOffloader({ store: fileStore({ directory }) });
let bytes = 0;
const record = (id) => ({ id, city: ["Rome", "Oslo", "Lima"][id % 3], note: "visit " + id * 7919, score: id / 7 });
async function* parts() {
  for (let id = 0; bytes < Number(wanted); ) {
    if (kind === "records") {
      const one = record(id++);
      bytes += JSON.stringify(one).length + 1;
      yield one;
      continue;
    }
    let block = kind === "array" && id === 0 ? "[" : kind === "table" && id === 0 ? "id,city,note\\n" : "";
    for (let line = 0; line < 1000; line += 1, id += 1) {
      block += kind === "lines"
        ? JSON.stringify(record(id)) + "\\n"
        : kind === "array"
        ? (id === 0 ? "" : ",") + JSON.stringify(record(id))
        : kind === "table"
        ? id + "," + record(id).city + "," + record(id).note + "\\n"
        : "2026-01-01T00:00:00Z INFO request " + id * 7919 + " took " + (id % 977) + " ms\\n";
    }
    if (kind === "array" && bytes + block.length >= Number(wanted)) block += "]";
    bytes += block.length;
    yield block;
  }
}
const offload = async (value) => {
  const result = await offloader.offload({ toolName: "export", value, sessionId: "bench" });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  return result.storedArtifact;
};
try {
  // What the producer's own garbage takes is there before.
  for await (const part of parts()) if (bytes > 5e7) break;
  bytes = 0;
  await offload(Array.from({ length: 2000 }, (_, id) => record(id)));
  if (job === "read") {
    const from = process.memoryUsage().rss;
    for await (const part of parts());
    console.log(JSON.stringify([process.memoryUsage().rss - from]));
    process.exit();
  }
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 5);
  const start = performance.now();
  const stored = await offload({ [Symbol.asyncIterator]: parts });
  clearInterval(timer);
  // Of an array the brackets and commas go, and each element has a line end.
  const kept = kind === "array" ? bytes - 1 : bytes;
  if (stored.sizeBytes - stored.headerBytes !== kept) throw new Error("Not all was stored.");
  console.log(JSON.stringify([peak - before, performance.now() - start]));
} finally {
  await offloader.close();
  rmSync(directory, { recursive: true, force: true });
}`;

/** V8 lets garbage pile up to what it is given: in a small heap the rest of the memory is what is needed. */
const HEAP_MEGABYTES = 64;
const SMALL_HEAP = [`--max-old-space-size=${HEAP_MEGABYTES}`, "--max-semi-space-size=1"];

type Kind = "records" | "lines" | "array" | "table" | "text";

/** Memory and time to offload streams that are never one string, in the file store. */
export async function benchStreams(): Promise<BenchRow[]> {
  const kinds: readonly Kind[] = ["records", "lines", "array", "table", "text"];
  return [...kinds.map((kind) => smallHeapRow(kind)), defaultHeapRow("text")];
}

function smallHeapRow(kind: Kind): BenchRow {
  const { extra, took } = offloaded(kind, SMALL_HEAP);
  return {
    group: "streams",
    name: `extra memory to offload a stream of 1 GB of ${kind}, V8 heap of ${HEAP_MEGABYTES} MB in all`,
    ours: `${extra.toFixed(0)} MB, in ${took}`,
    other: "-",
    ratio: "-",
    goal: `at most ${GOAL_MEGABYTES} MB`,
    met: extra <= GOAL_MEGABYTES,
  };
}

function defaultHeapRow(kind: Kind): BenchRow {
  const { extra, took } = offloaded(kind, []);
  const [readBytes = 0] = run(kind, [], "read");
  return {
    group: "streams",
    name: `extra memory to offload a stream of 1 GB of ${kind}, V8's default heap`,
    ours: `${extra.toFixed(0)} MB, in ${took}`,
    other: `${(readBytes / MEGABYTE).toFixed(0)} MB only to read it`,
    ratio: `${(extra / (readBytes / MEGABYTE)).toFixed(1)}x`,
    goal: `at most ${GOAL_MEGABYTES} MB`,
    met: extra <= GOAL_MEGABYTES,
  };
}

function offloaded(
  kind: Kind,
  flags: readonly string[],
): { readonly extra: number; readonly took: string } {
  const [extraBytes = Infinity, tookMs = 0] = run(kind, flags, "offload");
  return { extra: extraBytes / MEGABYTE, took: `${(tookMs / 1000).toFixed(0)} s` };
}

function run(kind: Kind, flags: readonly string[], job: "offload" | "read"): readonly number[] {
  const core = new URL("../dist/core.js", import.meta.url).href;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, "--input-type=module", "-e", SCRIPT, core, kind, String(STREAM_BYTES), job],
    { encoding: "utf8" },
  );
  if (stdout === "") throw new Error(stderr);
  const numbers: readonly number[] = JSON.parse(stdout);
  return numbers;
}
