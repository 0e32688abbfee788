import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createOffloader, memoryStore } from "../src/index.js";
import { fileJournal, type Journal, readJournal } from "../src/journal/index.js";
import { scopeOf } from "../src/store/naming.js";
import type { BenchRow } from "./row.js";

const EVENTS = 2_000;
const ROUNDS = 5;
const SESSION = "bench";

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
/** Processor time of the whole process in µs, threads that write among it: no other process counts. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** What a journal costs an event, and what it is to read a large one. */
export async function benchJournal(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "journal-bench-"));
  try {
    return [
      await overhead("an output that stays", folder, stays),
      await overhead("a drill-in", folder, drillsIn),
      await reading(join(folder, "read")),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Work = (journal: Journal | undefined) => Promise<number>;

/** With and without by turns, so that what else the machine does is in both. */
async function overhead(name: string, folder: string, work: Work): Promise<BenchRow> {
  const without: number[] = [];
  const added: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await work(undefined);
    const kept = await work(fileJournal({ directory: join(folder, "write") }));
    if (round === 0) continue;
    without.push(bare);
    added.push(kept - bare);
  }
  const cost = median(added);
  return {
    group: "journal",
    name: `${name}, added by a journal`,
    ours: `${cost.toFixed(1)} µs`,
    other: `${median(without).toFixed(1)} µs without`,
    ratio: `${((median(without) + cost) / median(without)).toFixed(2)}x`,
    goal: "at most 20 µs an event",
    met: cost <= 20,
  };
}

/** µs of an output of 1 KB, entries and all. */
async function stays(journal: Journal | undefined): Promise<number> {
  const offloader = createOffloader({ store: memoryStore(), ...(journal && { journal }) });
  const value = JSON.stringify({ rows: "as it was before ".repeat(60) });
  const start = cpu();
  for (let event = 0; event < EVENTS; event += 1) {
    await offloader.offload({ toolName: "t", value, toolCallId: `c${event}`, sessionId: SESSION });
  }
  await journal?.flush?.();
  const spent = cpu() - start;
  await offloader.close();
  return spent / EVENTS;
}

async function drillsIn(journal: Journal | undefined): Promise<number> {
  const offloader = createOffloader({ store: memoryStore(), ...(journal && { journal }) });
  const value = Array.from({ length: 500 }, (_, id) => ({ id, city: "Rome" }));
  const { storedArtifact } = await offloader.put(value, { sessionId: SESSION });
  const args = { id: storedArtifact.id, limit: 2 };
  const count = EVENTS / 10;
  const start = cpu();
  for (let event = 0; event < count; event += 1) {
    await offloader.drillIn.read(args, scopeOf(SESSION));
  }
  await journal?.flush?.();
  const spent = cpu() - start;
  await offloader.close();
  return spent / count;
}

/** The first page of 100,000 entries, for a reader that has seen none of them. */
async function reading(directory: string): Promise<BenchRow> {
  const journal = fileJournal({ directory });
  for (let at = 1; at <= 100_000; at += 1) {
    journal.append({
      v: 1,
      at,
      session: SESSION,
      type: "stayed-inline",
      toolName: "search",
      toolCallId: `call_${at}`,
      kind: "json",
      sizeBytes: 1_000,
      keptBlocks: 0,
    });
    if (at % 10_000 === 0) await journal.flush?.();
  }
  await journal.flush?.();
  const start = cpu();
  const reader = readJournal(directory);
  await reader.entries(SESSION, { from: 50_000, limit: 100 });
  const first = (cpu() - start) / 1_000;
  const again = cpu();
  const { total } = await reader.entries(SESSION, { from: 90_000, limit: 100 });
  const next = (cpu() - again) / 1_000;
  return {
    group: "journal",
    name: `first page of ${total.toLocaleString("en")} entries, processor time`,
    ours: `${first.toFixed(0)} ms`,
    other: `${next.toFixed(1)} ms a page after it`,
    ratio: `${(first / next).toFixed(0)}x`,
    goal: "at most 1 s, and 200 ms a page after it",
    met: first <= 1_000 && next <= 200,
  };
}
