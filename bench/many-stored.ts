import { existsSync, openSync, readSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { startSweeper } from "../src/lifecycle/sweeper.js";
import { findArtifact } from "../src/drill-in/shared/find-artifact.js";
import { createSeenArtifacts } from "../src/drill-in/shared/seen-artifacts.js";
import { encodeRecord } from "../src/store/artifact-record.js";
import { fileStore } from "../src/store/file/index.js";
import { newArtifactId } from "../src/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../src/types/artifact.js";
import { inLanes } from "../src/util/slices.js";
import type { BenchRow } from "./row.js";

const GROUP = "many stored";
const MANY = 20_000;
const FEW = 20;
const SWEPT = 50_000;
const RUNS = 200;
const HELD_MS = 10;
/** Of this thread: nanoseconds on a processor come first. */
const THREAD_TIME = "/proc/thread-self/schedstat";

/** What a lookup costs beside many artifacts, and how long a sweep of many holds the event loop. */
export async function benchManyStored(): Promise<BenchRow[]> {
  const directories: string[] = [];
  const open = async (count: number): Promise<Opened> => {
    const directory = await mkdtemp(join(tmpdir(), "bench-many-"));
    directories.push(directory);
    return { directory, stored: await fill(directory, count) };
  };
  try {
    const lookups = await benchLookups(await open(FEW), await open(MANY));
    return [...lookups, ...(await benchSweeps(await open(SWEPT)))];
  } finally {
    for (const directory of directories) await rm(directory, { recursive: true });
  }
}

interface Opened {
  readonly directory: string;
  readonly stored: readonly StoredArtifact[];
}

/** Writes what a store would have; to put each takes ten times as long. */
async function fill(directory: string, count: number): Promise<StoredArtifact[]> {
  const artifacts = Array.from({ length: count }, () => contractArtifact(1));
  await inLanes(artifacts, 8, async (artifact) => {
    const mode = 0o600;
    await writeFile(join(directory, artifact.fileName), "1", { mode });
    const sidecar = join(directory, `.atlatl-${artifact.id}.json`);
    await writeFile(sidecar, encodeRecord(artifact).text, { mode });
  });
  return artifacts;
}

async function benchLookups(few: Opened, many: Opened): Promise<BenchRow[]> {
  const lookUp = ({ directory, stored }: Opened, reference?: string) => {
    const store = fileStore({ directory, now: () => CONTRACT_START_MS });
    const seen = createSeenArtifacts();
    for (const artifact of stored.slice(0, FEW)) seen.remember(artifact);
    const { id, scope } = stored[0] ?? contractArtifact(0);
    const request = { reference: reference ?? id, scope, nowMs: CONTRACT_START_MS };
    return () => findArtifact(store, seen, request);
  };
  const unknown = newArtifactId(CONTRACT_START_MS);
  return [
    ratioRow("an id", await medians(lookUp(many), lookUp(few))),
    ratioRow("a wrong id", await medians(lookUp(many, unknown), lookUp(few, unknown))),
  ];
}

/** Medians of two jobs that alternate, so that a slow moment of the machine meets both. */
async function medians(...jobs: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[][] = jobs.map(() => []);
  for (let run = -20; run < RUNS; run += 1) {
    for (const [index, job] of jobs.entries()) {
      const start = performance.now();
      await job();
      if (run >= 0) times[index]?.push(performance.now() - start);
    }
  }
  return times.map((values) => values.toSorted((a, b) => a - b)[RUNS >> 1] ?? 0);
}

function ratioRow(what: string, [many = 0, few = 0]: readonly number[]): BenchRow {
  const ratio = many / few;
  return {
    group: GROUP,
    name: `looking up ${what}, 20,000 stored, file`,
    ours: `${many.toFixed(2)} ms`,
    other: `${few.toFixed(2)} ms (20 stored)`,
    ratio: `${ratio.toFixed(2)} x`,
    goal: "at most 1.3 times as long as with 20",
    met: ratio <= 1.3,
  };
}

async function benchSweeps({ directory }: Opened): Promise<BenchRow[]> {
  let nowMs = CONTRACT_START_MS;
  const sweeper = startSweeper({
    store: fileStore({ directory, now: () => nowMs }),
    intervalMs: 3_600_000,
    now: () => nowMs,
    onExpired: () => undefined,
  });
  const first = await longestHold(() => sweeper.sweep());
  const second = await longestHold(() => sweeper.sweep());
  nowMs = contractArtifact(0).expiresAt;
  const all = await longestHold(() => sweeper.sweep());
  await sweeper.close();
  return [
    heldRow("that has read none of them", first),
    heldRow("that has read them before", second),
    heldRow("that deletes them all", all),
  ];
}

interface Hold {
  readonly heldMs: number;
  readonly wholeMs: number;
}

/** The most that this thread works between two turns of the event loop: processor time where the system tells it. */
async function longestHold(job: () => Promise<unknown>): Promise<Hold> {
  globalThis.gc?.();
  await wait(100);
  const time = threadTime();
  let heldMs = 0;
  let last = time();
  let isOver = false;
  const turn = (): void => {
    const at = time();
    heldMs = Math.max(heldMs, at - last);
    last = at;
    if (!isOver) setTimeout(turn, 0);
  };
  turn();
  const start = performance.now();
  await job();
  const wholeMs = performance.now() - start;
  await wait(20);
  isOver = true;
  return { heldMs, wholeMs };
}

function threadTime(): () => number {
  if (!existsSync(THREAD_TIME)) return () => performance.now();
  const file = openSync(THREAD_TIME, "r");
  const text = Buffer.alloc(64);
  return () => {
    const length = readSync(file, text, 0, text.length, 0);
    return Number.parseInt(text.toString("latin1", 0, length), 10) / 1e6;
  };
}

function heldRow(what: string, { heldMs, wholeMs }: Hold): BenchRow {
  return {
    group: GROUP,
    name: `event loop held by a sweep of 50,000 files ${what}`,
    ours: `${heldMs.toFixed(1)} ms, of ${(wholeMs / 1000).toFixed(1)} s`,
    other: "-",
    ratio: "-",
    goal: `at most ${HELD_MS} ms`,
    met: heldMs <= HELD_MS,
  };
}
