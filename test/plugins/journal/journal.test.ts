import { expect, it } from "vitest";

import type { AgentHooks } from "../../../src/adapters/langchain/agent-hooks.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import { createOffloader } from "../../../src/index.js";
import { readEntry } from "../../../src/plugins/journal/entry.js";
import type { JournalEntry } from "../../../src/plugins/journal/index.js";
import { eventEntry, journalTo, type TakeText } from "../../../src/plugins/journal/journal.js";
import type { Journal } from "../../../src/plugins/journal/writer.js";

it("loses the entry of an answer that it cannot tell of, and nothing else", async () => {
  const entries: JournalEntry[] = [];
  const to: Journal = { append: (entry) => void entries.push(entry) };
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
      const take: TakeText = (text = "") => (hasTexts ? { text } : undefined);
      const entry = { v: 1, at: 1, ...eventEntry(event, {}, take) };
      expect(readEntry(JSON.stringify(entry), "id")).toEqual({ ...entry, id: "id" });
      return JSON.stringify(entry);
    }),
  );
  expect(lines[0]?.join("")).toContain("4111");
  expect(lines[1]?.join("")).not.toContain("4111");
  expect(lines.join("")).not.toContain("anna");
});
