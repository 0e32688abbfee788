import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { createOffloader, memoryStore, type OffloadEvent } from "../src/index.js";
import type { EventDetail } from "../src/core/types/events.js";
import { journalTo } from "../src/plugins/journal/journal.js";
import { readJournal } from "../src/plugins/journal/index.js";
import { internals } from "../src/core/pipeline/offloader.js";
import { sessionKeyOf } from "../src/core/store/naming.js";
import { atMost, type BenchRow, inFolder, median, processorUs as cpu } from "./harness.js";
import { fileJournal, type Journal } from "../src/plugins/journal/writer.js";

const EVENTS = 2_000;
const EVENTS_A_MS = 20;
const ROUNDS = 5;
const SESSION = "bench";

/** What a journal costs an event, and what it is to read a large one. */
export async function benchJournal(): Promise<BenchRow[]> {
  return await inFolder(async (folder) => {
    const directory = join(folder, "write");
    const rows: BenchRow[] = [await stays(directory)];
    for (const told of await events()) rows.push(await recorded(told, directory));
    return [...rows, await reading(join(folder, "read"))];
  });
}

/** With and without by turns, so that what else the machine does is in both. */
async function stays(directory: string): Promise<BenchRow> {
  const without: number[] = [];
  const added: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await staying(undefined);
    const kept = await staying(fileJournal({ directory }));
    if (round === 0) continue;
    without.push(bare);
    added.push(kept - bare);
  }
  return costRow("an output that stays", median(added), median(without));
}

/** µs of an output of 1 KB, entries and all. */
async function staying(journal: Journal | undefined): Promise<number> {
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: journal ? [journalTo(journal)] : [],
  });
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

/** What happened, what only a journal is told of it, and the µs that it took. */
interface Told {
  readonly name: string;
  readonly event: OffloadEvent;
  readonly beside: EventDetail;
  readonly tookUs: number;
}

/** A stored output and a read of it. Each takes a millisecond, in which a journal's part would be lost. */
async function events(): Promise<readonly Told[]> {
  const heard: OffloadEvent[] = [];
  const offloader = createOffloader({ store: memoryStore(), onEvent: (one) => heard.push(one) });
  const value = Array.from({ length: 500 }, (_, id) => ({ id, city: "Rome" }));
  const output = { toolName: "t", value, toolCallId: "c1", args: { q: 1 }, sessionId: SESSION };
  // The first one loads what all need.
  await offloader.offload(output);
  const start = cpu();
  const result = await offloader.offload(output);
  const storedUs = cpu() - start;
  if (result.outcome !== "offloaded") throw new Error("The output was not stored.");
  const args = { id: result.storedArtifact.id, start: 1, end: 3 };
  await offloader.drillIn.run("read", args, { sessionKey: sessionKeyOf(SESSION) });
  const between = cpu();
  const { text } = await offloader.drillIn.run("read", args, { sessionKey: sessionKeyOf(SESSION) });
  const readUs = cpu() - between;
  await offloader.close();
  const eventOf = (type: OffloadEvent["type"]): OffloadEvent => {
    const event = heard.find((one) => one.type === type);
    if (event === undefined) throw new Error(`Nothing told of ${type}.`);
    return event;
  };
  const descriptor = { descriptor: result.text };
  // The longest of the library's own.
  const long = { descriptor: JSON.stringify(value).slice(0, 4_000) };
  const answer = { args, toolCallId: "c2", answerBytes: Buffer.byteLength(text) };
  const stored = { event: eventOf("offloaded"), tookUs: storedUs };
  return [
    { name: "a read", event: eventOf("drilled-in"), beside: answer, tookUs: readUs },
    { name: "a stored output", ...stored, beside: descriptor },
    { name: "a stored output, descriptor of 4 KB", ...stored, beside: long },
  ];
}

/** µs of one entry from the event to the disk. */
async function recorded({ name, event, beside, tookUs }: Told, directory: string) {
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const journal = fileJournal({ directory });
    const offloader = createOffloader({ store: memoryStore(), plugins: [journalTo(journal)] });
    const { host } = internals(offloader);
    const start = cpu();
    for (let count = 0; count < EVENTS; count += 1) {
      const own = { ...event };
      host.onEvent(own, beside);
      // No agent does more in a millisecond; entries that wait by the thousand cost the collector's time too.
      if (count % EVENTS_A_MS === 0) await sleep(1);
    }
    await journal.flush?.();
    if (round > 0) costs.push((cpu() - start) / EVENTS);
    await offloader.close();
  }
  return costRow(name, median(costs), tookUs);
}

function costRow(name: string, cost: number, without: number): BenchRow {
  return {
    group: "journal",
    name: `${name}, added by a journal`,
    ours: `${cost.toFixed(1)} µs`,
    other: `${without.toFixed(1)} µs without`,
    ratio: `${((without + cost) / without).toFixed(2)}x`,
    ...atMost(cost, 20, "µs an event"),
  };
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
      sizeBytes: 1_000,
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
