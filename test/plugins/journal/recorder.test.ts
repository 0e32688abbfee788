import { eventEntry, journalTo } from "../../../src/plugins/journal/journal.js";
import { afterEach, expect, it, vi } from "vitest";

import type { AgentHooks } from "../../../src/adapters/langchain/agent-hooks.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import type { Clean } from "../../../src/core/types/plugin.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import { createOffloader } from "../../../src/index.js";
import type { JournalEntry } from "../../../src/plugins/journal/index.js";
import {
  createRecorder,
  type Journal,
  type TakeText,
} from "../../../src/plugins/journal/recorder.js";
import { readEntry } from "../../../src/plugins/journal/entry.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { stayed } from "./entries.js";

afterEach(() => vi.useRealTimers());

const withText = (characters: number) => (take: TakeText) => ({
  ...stayed("s", 1, "t"),
  text: take({ text: "x".repeat(characters), toolName: "t", part: "output" }) ?? { text: "none" },
});

/** A recorder, and what it has appended. */
function recording({ clean, flush }: { clean?: Clean; flush?: Journal["flush"] } = {}) {
  const entries: JournalEntry[] = [];
  const append = (entry: JournalEntry) => void entries.push(entry);
  const journal: Journal = { append, ...(flush && { flush }) };
  const recorder = createRecorder({
    journal,
    cleaner: () => clean,
    hasTexts: true,
    now: () => 1,
  });
  const record = (characters: number, times = 1): void => {
    for (let count = 0; count < times; count += 1) recorder.record(withText(characters));
  };
  return { entries, journal, recorder, record };
}
const never = () => new Promise<never>(() => {});

it.each([{ clean: never }, { flush: never }])(
  "is not waited for without end, when its function or its disk is never done",
  async (given) => {
    vi.useFakeTimers();
    const { recorder, record } = recording(given);
    record(1);
    const flushed = recorder.flush();
    await vi.advanceTimersByTimeAsync(10_000);
    await flushed;
  },
);

it("writes without texts while a redact function does not answer, and tells of what it lost", async () => {
  vi.useFakeTimers();
  const clean = vi.fn<() => Promise<string>>(never);
  const { entries, record } = recording({ clean });
  record(1, 1_200);
  await vi.advanceTimersByTimeAsync(6_000);
  const [lost, ...others] = entries;
  expect(lost).toMatchObject({ type: "entries-lost", entries: 1_200 - others.length, at: 1 });
  expect(others.length).toBeLessThan(1_100);
  expect(entries.at(-1)).toMatchObject({ text: { text: "", withheld: true } });
  expect(clean).toHaveBeenCalledTimes(1);
});

it("holds no more text that waits to be redacted than 8 MB, and none that is too long", async () => {
  const waiting: (() => void)[] = [];
  const clean = (text: string) =>
    new Promise<string>((resolve) => void waiting.push(() => resolve(text)));
  const { entries, recorder, record } = recording({ clean });
  record(65_537);
  expect(entries.splice(0)).toMatchObject([{ text: { text: "", withheld: true } }]);
  record(65_536, 200);
  const answering = setInterval(() => waiting.shift()?.(), 0);
  await recorder.flush();
  clearInterval(answering);
  const [lost, ...others] = entries;
  expect(lost).toMatchObject({ type: "entries-lost", entries: 200 - others.length });
  expect(others.length * 65_536).toBeLessThanOrEqual(8_388_608);
});

it("withholds a text where its function fails, and goes on", async () => {
  const { entries, recorder, record } = recording({
    clean: () => Promise.reject(new Error("out of order")),
  });
  record(1, 2);
  await recorder.flush();
  expect(entries.map((entry) => "text" in entry && entry.text)).toEqual([
    { text: "", withheld: true },
    { text: "", withheld: true },
  ]);
});

it("loses the entry of an answer that it cannot tell of, and nothing else", async () => {
  const { entries, journal: to } = recording();
  const offloader = createOffloader({ store: memoryStore(), plugins: [journalTo(to)] });
  const agents = internals(offloader).host.plugged.map(({ hooks }) => hooks.agent?.({} as never));
  const [own] = agents as AgentHooks[];
  const context = () => ({ parts: {}, contextTokens: 0, withoutTokens: 0, largest: [] });
  const call = { request: {} as never, sessionKey: "s", windowTokens: undefined, context };
  const noName = (): never => {
    throw new Error("no name");
  };
  for (const usage of [noName, () => ({ toolCalls: [] })])
    own?.onModelCall?.(call)?.({ failed: false, durationMs: 1, usage });
  await offloader.close();
  const types = entries.map(({ type }) => type);
  expect(types).toEqual(["model-called", "entries-lost", "model-called", "model-answered"]);
});

it("writes what a plugin tells so that it is read back, its data as a text only where there are texts", () => {
  const events: readonly OffloadEvent[] = [
    { type: "plugin-failed", plugin: "p", hook: "clean", error: new Error("at /home/anna") },
    { type: "plugin-event", plugin: "p", name: "seen", sessionKey: "s", data: { card: "4111" } },
  ];
  const lines = [true, false].map((hasTexts) =>
    events.map((event) => {
      const take: TakeText = ({ text = "" }) => (hasTexts ? { text } : undefined);
      const entry = { v: 1, at: 1, ...eventEntry(event, {}, take) };
      expect(readEntry(JSON.stringify(entry), "id")).toEqual({ ...entry, id: "id" });
      return JSON.stringify(entry);
    }),
  );
  expect(lines[0]?.join("")).toContain("4111");
  expect(lines[1]?.join("")).not.toContain("4111");
  expect(lines.join("")).not.toContain("anna");
});
