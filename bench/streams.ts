import { atMost, type BenchRow, BUILT, figuresOfProcess, megabytes, row } from "./harness.js";

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

/** Memory and time to offload streams that are never one string, in the file store. */
export async function benchStreams(): Promise<BenchRow[]> {
  const heap = `V8 heap of ${HEAP_MEGABYTES} MB in all`;
  return [
    ...["records", "lines", "array", "table", "text"].map((kind) => rowOf(kind, heap, SMALL_HEAP)),
    rowOf("text", "V8's default heap", []),
  ];
}

function rowOf(kind: string, heap: string, flags: readonly string[]): BenchRow {
  const args = [`${BUILT}core.js`, kind, String(STREAM_BYTES)];
  const [extra = NaN, tookMs = NaN] = figuresOfProcess(SCRIPT, [...args, "offload"], flags);
  const isDefault = flags.length === 0;
  const [read = NaN] = isDefault ? figuresOfProcess(SCRIPT, [...args, "read"]) : [];
  return row({
    group: "streams",
    name: `extra memory to offload a stream of 1 GB of ${kind}, ${heap}`,
    ours: `${megabytes(extra)}, in ${(tookMs / 1000).toFixed(0)} s`,
    ...(isDefault && {
      other: `${megabytes(read)} only to read it`,
      ratio: `${(extra / read).toFixed(1)}x`,
    }),
    ...atMost(extra / 1e6, GOAL_MEGABYTES, "MB"),
  });
}
