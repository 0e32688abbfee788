import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, open, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

import { createDrillIn, type DrillIn } from "../src/core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { createLineIndex } from "../src/core/drill-in/line-index.js";
import { createMeasure, type TokenizerName } from "../src/core/measure/measure.js";
import type { ArtifactStore } from "../src/core/store/artifact-store.js";
import type { StoredArtifact } from "../src/core/types/artifact.js";
import type { BenchRow } from "./row.js";

const GROUP = "drill-in read";
const MEGABYTE = 1_000_000;
const SHOWN_LINES = 200;
const GOAL_MS = 5;
const PLACES = 40;
/** The longest text that Node can make of a file. */
const MAX_SPLIT_BYTES = 500 * MEGABYTE;
const SCOPE = "bench";
const CALL = { scope: SCOPE };

/** Measures reading of a log by lines, against reading the whole file and splitting it. */
export async function benchRead(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-read-"));
  try {
    const rows: BenchRow[] = [];
    for (const megabytes of process.env["BENCH_LARGE"] === "1" ? [1, 100, 1000] : [1, 100]) {
      const artifact = await writeLog(join(folder, `${megabytes}.log`), megabytes);
      rows.push(...(await rowsOf(artifact, megabytes)));
      await rm(artifact.filePath ?? "");
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function rowsOf(artifact: StoredArtifact, megabytes: number): Promise<BenchRow[]> {
  const store = storeOf(artifact);
  const split = artifact.sizeBytes > MAX_SPLIT_BYTES ? undefined : await splitMs(artifact);
  const other = split === undefined ? "-" : `${milliseconds(split)} (readFile + split)`;
  const row = (name: string, ms: number, goal: string, met: boolean | null): BenchRow => ({
    group: GROUP,
    name,
    ours: milliseconds(ms),
    other,
    ratio: split === undefined ? "-" : `${(split / ms).toFixed(1)}x`,
    goal,
    met,
  });
  const indexMs = await median(3, async () =>
    createLineIndex(store, artifact).before(artifact.sizeBytes),
  );
  const coldMs = await median(5, async () =>
    readLines(drillInOver(store, "characters"), artifact, 1),
  );
  const characters = await anywhereMs(drillInOver(store, "characters"), artifact);
  const tokens = await anywhereMs(drillInOver(store, "o200k_base"), artifact);
  const goal = `at most ${GOAL_MS} ms`;
  return [
    row(`line index of ${megabytes} MB`, indexMs, "-", null),
    row(`first ${SHOWN_LINES} lines of ${megabytes} MB, no index yet`, coldMs, "-", null),
    row(
      `${SHOWN_LINES} lines at any place of ${megabytes} MB, indexed, characters / 4`,
      characters,
      goal,
      characters <= GOAL_MS,
    ),
    row(
      `${SHOWN_LINES} lines at any place of ${megabytes} MB, indexed, o200k_base`,
      tokens,
      "-",
      null,
    ),
  ];
}

/** Median time for lines at random places, after one call that brings the index. */
async function anywhereMs(drillIn: DrillIn, artifact: StoredArtifact): Promise<number> {
  await readLines(drillIn, artifact, -SHOWN_LINES);
  return median(PLACES, async () => {
    const first = 1 + Math.floor(Math.random() * (artifact.lineCount - SHOWN_LINES));
    await readLines(drillIn, artifact, first);
  });
}

async function readLines(drillIn: DrillIn, artifact: StoredArtifact, first: number): Promise<void> {
  const last = first < 0 ? -1 : first + SHOWN_LINES - 1;
  const answer = await drillIn.run(
    "read",
    { id: artifact.id, start_line: first, end_line: last },
    CALL,
  );
  const lineCount = answer.text.split("\n").length - 2;
  if (answer.failed || lineCount !== SHOWN_LINES) throw new Error(`got ${lineCount} lines`);
}

function drillInOver(store: ArtifactStore, tokenizer: TokenizerName): DrillIn {
  return createDrillIn({
    store,
    measure: createMeasure({ tokenizer }),
    limits: { ...DEFAULT_DRILL_IN_LIMITS, maxOutputTokens: 12_000 },
    names: { read: "read_tool_output" },
    now: Date.now,
  });
}

async function splitMs({ filePath = "", lineCount }: StoredArtifact): Promise<number> {
  return median(3, async () => {
    const lines = (await readFile(filePath, "utf8")).split("\n");
    const first = Math.floor(Math.random() * (lineCount - SHOWN_LINES));
    if (lines.slice(first, first + SHOWN_LINES).length !== SHOWN_LINES) throw new Error("short");
  });
}

async function median(runs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

function milliseconds(ms: number): string {
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
}

async function writeLog(filePath: string, megabytes: number): Promise<StoredArtifact> {
  const file = createWriteStream(filePath);
  let lineCount = 0;
  for (let written = 0; written < megabytes * MEGABYTE;) {
    let block = "";
    for (let line = 0; line < 5000; line += 1) {
      lineCount += 1;
      block += `2026-01-02T03:04:05.678Z INFO worker-${lineCount % 16} handled request ${lineCount} for /items/${(lineCount * 7919) % 100_003} in ${lineCount % 977} ms\n`;
    }
    written += block.length;
    if (!file.write(block)) await once(file, "drain");
  }
  file.end();
  await finished(file);
  return {
    id: "01KDX0ABCDEFGHJKMNPQRSTVWX",
    fileName: `${megabytes}-01KDX0ABCDEFGHJKMNPQRSTVWX.log`,
    filePath,
    kind: "log",
    layout: "text",
    toolName: "bench",
    operation: "bench",
    detail: "full",
    sizeBytes: (await stat(filePath)).size,
    headerBytes: 0,
    lineCount,
    tokens: 0,
    tokensExact: false,
    recipes: [],
    fields: [],
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
    scope: SCOPE,
  };
}

function absent(): Promise<never> {
  return Promise.reject(new Error("not part of this bench"));
}

/** The reading half of a store over one file. */
function storeOf(artifact: StoredArtifact): ArtifactStore {
  return {
    name: "bench",
    bodies: "files",
    stat: async () => artifact,
    read: async ({ filePath = "", sizeBytes }, range = { start: 0, end: sizeBytes }) => {
      const file = await open(filePath);
      try {
        const bytes = Buffer.allocUnsafe(Math.min(range.end, sizeBytes) - range.start);
        await file.read(bytes, 0, bytes.length, range.start);
        return bytes;
      } finally {
        await file.close();
      }
    },
    list: async () => ({ artifacts: [artifact], cursor: undefined }),
    put: absent,
    delete: absent,
    sweep: absent,
  };
}
