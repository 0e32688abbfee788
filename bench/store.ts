import { mkdtemp, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactStore } from "../src/core/store/artifact-store.js";
import { fileStore } from "../src/core/store/file/index.js";
import { memoryStore } from "../src/core/store/memory.js";
import { contractArtifact, patternBytes } from "../src/testing/store-contract/contract-artifact.js";
import type { BenchRow } from "./row.js";

const MEGABYTE = 1024 * 1024;
const RUNS = 25;

/** What is timed; the function that it returns cleans up and is not timed. */
type Job = () => Promise<(() => Promise<unknown>) | undefined>;

const now = (): number => contractArtifact(0).createdAt;

/** Medians of two jobs that alternate, so that a slow moment of the machine meets both. */
async function medians(first: Job, second: Job): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let run = -2; run < RUNS; run += 1) {
    for (const [index, job] of [first, second].entries()) {
      const start = performance.now();
      const cleanUp = await job();
      // The first runs warm caches and the compiler.
      if (run >= 0) times[index]?.push(performance.now() - start);
      await cleanUp?.();
    }
  }
  const [ours, other] = times.map((values) => values.toSorted((a, b) => a - b)[RUNS >> 1] ?? 0);
  return [ours ?? 0, other ?? 0];
}

function row(
  name: string,
  [ours, other]: readonly [number, number],
  alternative: string,
  limit?: { readonly ratio: number; readonly goal: string },
): BenchRow {
  const ratio = ours / other;
  return {
    group: "store",
    name,
    ours: `${ours.toFixed(2)} ms`,
    other: `${other.toFixed(2)} ms (${alternative})`,
    ratio: `${ratio.toFixed(2)} x`,
    goal: limit?.goal ?? "-",
    met: limit === undefined ? null : ratio <= limit.ratio,
  };
}

/** Puts, ranged reads and look-ups of the stores against plain file calls. */
export async function benchStore(): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-store-"));
  try {
    return await measure(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Puts one artifact. */
function putJob(store: ArtifactStore, sizeBytes: number, chunks: Iterable<Uint8Array>): Job {
  return async () => {
    const { id, scope } = await store.put(contractArtifact(sizeBytes), chunks);
    return () => store.delete(id, scope);
  };
}

/** Times a call that leaves nothing behind. */
function callJob(call: () => Promise<unknown>): Job {
  return async () => {
    await call();
    return undefined;
  };
}

async function measure(directory: string): Promise<BenchRow[]> {
  const store = fileStore({ directory, now });
  const memory = memoryStore({ now });
  const plain = join(directory, "plain.jsonl");
  const body = patternBytes(10 * MEGABYTE);
  const small = patternBytes(8192);
  const lines = Array.from({ length: 14_000 }, (_, index) =>
    body.subarray(index * 700, index * 700 + 700),
  );
  const writeJob =
    (bytes: () => Uint8Array): Job =>
    async () => {
      await writeFile(plain, bytes(), { flag: "wx", mode: 0o600 });
      return () => unlink(plain);
    };

  const stored = await store.put(contractArtifact(body.length), [body]);
  const filePath = stored.filePath ?? "";
  const start = 5 * MEGABYTE;
  const end = start + 8192;

  const put = await medians(
    putJob(store, body.length, [body]),
    writeJob(() => body),
  );
  const putLines = await medians(
    putJob(store, 14_000 * 700, lines),
    writeJob(() => Buffer.concat(lines)),
  );
  const putSmall = await medians(
    putJob(store, small.length, [small]),
    writeJob(() => small),
  );
  const readPart = await medians(
    callJob(() => store.read(stored, { start, end })),
    callJob(async () => (await readFile(filePath)).subarray(start, end)),
  );
  const readAll = await medians(
    callJob(() => store.read(stored)),
    callJob(() => readFile(filePath)),
  );
  const look = await medians(
    callJob(() => store.stat(stored.id, stored.scope)),
    callJob(() => readFile(join(directory, `.atlatl-${stored.id}.json`))),
  );
  const inMemory = await medians(
    putJob(memory, body.length, [body]),
    callJob(async () => body.slice()),
  );

  return [
    row("put 10 MiB, file", put, "fs.writeFile", {
      ratio: 2,
      goal: "at most twice a plain write",
    }),
    row("put 14,000 chunks of 700 bytes, file", putLines, "Buffer.concat and fs.writeFile", {
      ratio: 2,
      goal: "at most twice a plain write",
    }),
    row("put 8 KiB, file", putSmall, "fs.writeFile", {
      ratio: 3,
      goal: "at most 3 times: two files and a link for one",
    }),
    row("read 8 KiB in the middle of 10 MiB, file", readPart, "fs.readFile and slice", {
      ratio: 0.5,
      goal: "at most half of reading the file",
    }),
    row("read 10 MiB, file", readAll, "fs.readFile", {
      ratio: 1.5,
      goal: "at most 1.5 times a plain read",
    }),
    row("stat, file", look, "fs.readFile of the sidecar", {
      ratio: 2,
      goal: "at most twice a plain read: the body is looked at too",
    }),
    row("put 10 MiB, memory", inMemory, "one copy of the bytes"),
  ];
}
