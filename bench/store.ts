import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ArtifactStore } from "../src/core/store/artifact-store.js";
import { fileStore } from "../src/core/store/file/index.js";
import { memoryStore } from "../src/core/store/memory.js";
import { contractArtifact, patternBytes } from "../src/testing/store-contract/contract-artifact.js";
import { type BenchRow, inFolder, inTurns, type Job, row } from "./harness.js";

const LARGE_BYTES = 10 * 1024 * 1024;
const RUNS = 25;
const TWICE = "at most twice a plain write";

const now = (): number => contractArtifact(0).createdAt;

/** Puts, ranged reads and look-ups of the stores against plain file calls. */
export async function benchStore(): Promise<BenchRow[]> {
  return await inFolder(async (directory) => {
    const rows: BenchRow[] = [];
    for (const [name, alternative, most, goal, ours, other] of await jobsIn(directory)) {
      const [our = NaN, their = NaN] = await inTurns([ours, other], RUNS, { warmUps: 2 });
      const ratio = our / their;
      rows.push(
        row({
          group: "store",
          name,
          ours: `${our.toFixed(2)} ms`,
          other: `${their.toFixed(2)} ms (${alternative})`,
          ratio: `${ratio.toFixed(2)} x`,
          ...(most !== undefined && { goal, met: ratio <= most }),
        }),
      );
    }
    return rows;
  });
}

type Case = readonly [
  name: string,
  alternative: string,
  mostOfIt: number | undefined,
  goal: string,
  ours: Job,
  other: Job,
];

async function jobsIn(directory: string): Promise<readonly Case[]> {
  const store = fileStore({ directory, now });
  const memory = memoryStore({ now });
  const body = patternBytes(LARGE_BYTES);
  const small = patternBytes(8192);
  const lines = Array.from({ length: 14_000 }, (_, index) =>
    body.subarray(index * 700, index * 700 + 700),
  );
  const put =
    (into: ArtifactStore, chunks: readonly Uint8Array[], sizeBytes = chunks[0]?.length ?? 0): Job =>
    async () => {
      const { id, sessionKey } = await into.put(contractArtifact(sizeBytes), chunks);
      return () => into.delete(id, sessionKey);
    };
  const write =
    (bytes: () => Uint8Array): Job =>
    async () => {
      const path = join(directory, "plain.jsonl");
      await writeFile(path, bytes(), { flag: "wx", mode: 0o600 });
      return () => unlink(path);
    };
  const stored = await store.put(contractArtifact(body.length), [body]);
  const { id, sessionKey, filePath = "" } = stored;
  const start = LARGE_BYTES / 2;
  const end = start + 8192;
  const sidecar = join(directory, `.atlatl-${id}.json`);
  return [
    ["put 10 MiB, file", "fs.writeFile", 2, TWICE, put(store, [body]), write(() => body)],
    [
      "put 14,000 chunks of 700 bytes, file",
      "Buffer.concat and fs.writeFile",
      2,
      TWICE,
      put(store, lines, 14_000 * 700),
      write(() => Buffer.concat(lines)),
    ],
    [
      "put 8 KiB, file",
      "fs.writeFile",
      3,
      "at most 3 times: two files and a link for one",
      put(store, [small]),
      write(() => small),
    ],
    [
      "read 8 KiB in the middle of 10 MiB, file",
      "fs.readFile and slice",
      0.5,
      "at most half of reading the file",
      () => store.read(stored, { start, end }),
      async () => (await readFile(filePath)).subarray(start, end),
    ],
    [
      "read 10 MiB, file",
      "fs.readFile",
      1.5,
      "at most 1.5 times a plain read",
      () => store.read(stored),
      () => readFile(filePath),
    ],
    [
      "stat, file",
      "fs.readFile of the sidecar",
      2,
      "at most twice a plain read: the body is looked at too",
      () => store.stat(id, sessionKey),
      () => readFile(sidecar),
    ],
    [
      "put 10 MiB, memory",
      "one copy of the bytes",
      undefined,
      "-",
      put(memory, [body]),
      () => body.slice(),
    ],
  ];
}
