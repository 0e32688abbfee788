import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createDrillIn, type DrillIn } from "../src/core/drill-in/drill-in.js";
import { createLineIndex } from "../src/core/drill-in/line-index.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { createMeasure, type TokenizerName } from "../src/core/measure/measure.js";
import type { ArtifactStore } from "../src/core/store/artifact-store.js";
import { fileStore } from "../src/core/store/file/index.js";
import type { StoredArtifact } from "../src/core/types/artifact.js";
import { contractArtifact } from "../src/testing/store-contract/contract-artifact.js";
import { atMost, type BenchRow, inFolder, inTurns, MEGABYTE, row, writeLines } from "./harness.js";

const SHOWN_LINES = 200;

/** Reading of a log by lines, against reading the whole file and splitting it. */
export async function benchRead(): Promise<BenchRow[]> {
  return await inFolder(async (folder) => {
    const rows: BenchRow[] = [];
    const store = fileStore({ directory: join(folder, "store") });
    for (const megabytes of [1, 100]) {
      const log = await writeLines(join(folder, "log"), megabytes * MEGABYTE, lineAt);
      const { sizeBytes, lineCount } = log;
      const expiresAt = Number.MAX_SAFE_INTEGER;
      const artifact = contractArtifact(sizeBytes, { lineCount, layout: "text", expiresAt });
      const stored = await store.put(artifact, createReadStream(log.path));
      rows.push(...(await rowsOf(store, stored, megabytes)));
    }
    return rows;
  });
}

function lineAt(line: number): string {
  return `2026-01-02T03:04:05.678Z INFO worker-${line % 16} handled request ${line} for /items/${(line * 7919) % 100_003} in ${line % 977} ms`;
}

async function rowsOf(
  store: ArtifactStore,
  artifact: StoredArtifact,
  megabytes: number,
): Promise<BenchRow[]> {
  const { filePath = "", lineCount, sizeBytes } = artifact;
  const anywhere = (): number => 1 + Math.floor(Math.random() * (lineCount - SHOWN_LINES));
  const [split = NaN, index = NaN, cold = NaN] = await inTurns(
    [
      async () => (await readFile(filePath, "utf8")).split("\n").slice(anywhere()),
      () => createLineIndex(store, artifact).before(sizeBytes),
      () => readLines(drillInOver(store, "characters"), artifact, 1),
    ],
    5,
  );
  const rowOf = (name: string, ms: number, goal: Partial<BenchRow> = {}): BenchRow =>
    row({
      group: "drill-in read",
      name,
      ours: milliseconds(ms),
      other: `${milliseconds(split)} (readFile + split)`,
      ratio: `${(split / ms).toFixed(1)}x`,
      ...goal,
    });
  const rows = [
    rowOf(`line index of ${megabytes} MB`, index),
    rowOf(`first ${SHOWN_LINES} lines of ${megabytes} MB, no index yet`, cold),
  ];
  for (const tokenizer of ["characters", "o200k_base"] as const) {
    const drillIn = drillInOver(store, tokenizer);
    // The first call brings the index.
    await readLines(drillIn, artifact, -SHOWN_LINES);
    const [ms = NaN] = await inTurns([() => readLines(drillIn, artifact, anywhere())], 40);
    const isGoal = tokenizer === "characters";
    const by = isGoal ? "characters / 4" : tokenizer;
    const name = `${SHOWN_LINES} lines at any place of ${megabytes} MB, indexed, ${by}`;
    rows.push(rowOf(name, ms, isGoal ? atMost(ms, 5, "ms") : {}));
  }
  return rows;
}

async function readLines(
  drillIn: DrillIn,
  { id, sessionKey }: StoredArtifact,
  first: number,
): Promise<void> {
  const last = first < 0 ? -1 : first + SHOWN_LINES - 1;
  const answer = await drillIn.run(
    "read",
    { id, start_line: first, end_line: last },
    { sessionKey },
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

function milliseconds(ms: number): string {
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
}
