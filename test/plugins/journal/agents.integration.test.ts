import { aging } from "../../../src/adapters/langchain/aging/index.js";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloader, memoryStore, offloadMiddleware } from "../../../src/index.js";
import { type Journal, type ReadEntry, readJournal } from "../../../src/plugins/journal/index.js";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { journal as journalPlugin } from "../../../src/plugins/journal/journal.js";
import { fileJournal } from "../../../src/plugins/journal/writer.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const SECRET = "4111-1111-1111-1111";
const rows = Array.from({ length: 400 }, (_, id) => ({ id, city: "Rome", note: "as before" }));
const orders = tool(() => JSON.stringify(rows), {
  name: "orders",
  description: "All orders.",
  schema: z.object({ since: z.string().optional() }),
});
const weather = tool(() => `It rains. Card ${SECRET}.`, {
  name: "weather",
  description: "The weather.",
  schema: z.object({}),
});
const idIn = (text: string): string => /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(text)?.[0] ?? "";

async function run(journal: Journal, options: object = {}): Promise<readonly ReadEntry[]> {
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: [journalPlugin(journal)],
    ...options,
  });
  const model = scriptedModel([
    { toolCalls: [{ name: "orders", args: { since: "2024" }, id: "call_1" }] },
    (messages) => ({
      toolCalls: [
        {
          name: "read_tool_output",
          args: { id: idIn(messages.at(-1)?.text ?? ""), offset: 1, limit: 3 },
          id: "call_2",
        },
        { name: "weather", args: {}, id: "call_3" },
      ],
    }),
    "Three orders, and rain.",
  ]);
  const agent = createAgent({
    model,
    tools: [orders, weather],
    middleware: [offloadMiddleware({ offloader })],
  });
  await agent.invoke(
    { messages: [{ role: "user", content: "Look." }] },
    { configurable: { thread_id: "thread-1" } },
  );
  await offloader.close();
  const { entries } = await readJournal(directory).entries(sessionKeyOf("thread-1"));
  return entries;
}

const all = (): string =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .join("");
const only = <Type extends ReadEntry["type"]>(
  entries: readonly ReadEntry[],
  type: Type,
): readonly Extract<ReadEntry, { type: Type }>[] =>
  entries.filter((one): one is Extract<ReadEntry, { type: Type }> => one.type === type);

describe("a journal of an agent", () => {
  it("has what happened, in its order, with what the model saw and asked", async () => {
    const entries = await run(fileJournal({ directory }));
    const types = entries.map(({ type }) => type);
    expect(types.filter((type) => type !== "tools-shown")).toEqual([
      "model-called",
      "model-answered",
      "offloaded",
      "model-called",
      "model-answered",
      ...types.filter((type) => type === "drilled-in" || type === "stayed-inline"),
      "model-called",
      "model-answered",
    ]);
    const [offloaded] = only(entries, "offloaded");
    expect(offloaded).toMatchObject({
      toolCallId: "call_1",
      artifact: { toolName: "orders", recordCount: 400, arguments: { text: '{"since":"2024"}' } },
    });
    expect(offloaded?.descriptor?.text).toContain(offloaded?.artifact.id);
    expect(only(entries, "drilled-in")).toMatchObject([
      { tool: "read_tool_output", toolCallId: "call_2", artifactId: offloaded?.artifact.id },
    ]);
    expect(only(entries, "drilled-in")[0]?.arguments?.text).toContain('"limit":3');
    expect(only(entries, "drilled-in")[0]?.answerBytes).toBeGreaterThan(20);
    const [stayed] = only(entries, "stayed-inline");
    expect(stayed).toMatchObject({ toolName: "weather", kind: "text", sizeBytes: 35 });
    expect(stayed?.text).toBeUndefined();
    expect(all()).not.toContain(SECRET);
  });

  it("has the context of each model call by its parts, with and without this library", async () => {
    const entries = await run(fileJournal({ directory }));
    const calls = only(entries, "model-called");
    expect(calls.map(({ call }) => call)).toEqual([1, 2, 3]);
    for (const { parts, contextTokens } of calls) {
      const sum = Object.values(parts).reduce<number>((total, tokens = 0) => total + tokens, 0);
      expect(sum).toBe(contextTokens);
    }
    const [first, second, third] = calls;
    expect(first?.parts.descriptor).toBeUndefined();
    expect(second?.parts.descriptor).toBeGreaterThan(0);
    const offloaded = only(entries, "offloaded")[0]?.artifact.tokens ?? NaN;
    expect(second?.withoutTokens).toBeGreaterThanOrEqual(offloaded);
    expect(second?.contextTokens).toBeLessThan(offloaded);
    expect(third?.parts["drill-in"]).toBeGreaterThan(0);
    expect(third?.parts.result).toBeGreaterThan(0);
    expect(only(entries, "model-answered")[0]).toMatchObject({
      toolCalls: ["orders"],
      failed: false,
    });
  });

  it("has what a context would be without this library, which shrinks with no result that leaves", async () => {
    const journal = fileJournal({ directory });
    const offloader = createOffloader({
      store: memoryStore(),
      plugins: [
        journalPlugin(journal),
        aging({ trigger: { tokens: 1_200 }, keep: { results: 1 } }),
      ],
    });
    const report = tool(({ n }) => `Report ${n}\n${`line of ${n} as before\n`.repeat(800)}`, {
      name: "report",
      description: "A report.",
      schema: z.object({ n: z.number() }),
    });
    const agent = createAgent({
      model: scriptedModel([
        ...[1, 2, 3, 4, 5].map((n) => ({ toolCalls: [{ name: "report", args: { n } }] })),
        (messages) => {
          const id = idIn(messages.map(({ text }) => text).join(" "));
          return { toolCalls: [{ name: "read_tool_output", args: { id } }] };
        },
        "All read.",
      ]),
      tools: [report],
      middleware: [offloadMiddleware({ offloader })],
    });
    await agent.invoke(
      { messages: [{ role: "user", content: "Read." }] },
      { configurable: { thread_id: "thread-1" } },
    );
    await offloader.close();
    const { entries } = await readJournal(directory).entries(sessionKeyOf("thread-1"));
    const [left] = only(entries, "aged");
    expect(left?.lines?.map(({ text }) => idIn(text))).toEqual(left?.artifactIds);
    const without = only(entries, "model-called").map(({ withoutTokens }) => withoutTokens);
    expect(without).toEqual(without.toSorted((one, other) => one - other));
    // The call of this library's tool and its answer would not be there.
    expect(without.at(-1)).toBe(without.at(-2));
    expect(only(entries, "drilled-in")).toHaveLength(1);
  });

  it("sums a session up", async () => {
    await run(fileJournal({ directory }));
    const { total, sessions } = await readJournal(directory).sessions();
    expect(total).toBe(1);
    expect(sessions[0]).toMatchObject({
      id: sessionKeyOf("thread-1"),
      counts: { offloaded: 1, "drilled-in": 1, "stayed-inline": 1, "model-called": 3 },
      neverRead: [],
    });
    const { inputTokens } = sessions[0] ?? {};
    expect(inputTokens?.withoutTokens).toBeGreaterThan(inputTokens?.withTokens ?? Infinity);
  });

  it("has nothing that the offloader's or its own function takes out", async () => {
    const redact = (text: string): string => text.replaceAll(SECRET, "[card]");
    const journal = fileJournal({
      directory,
      inlineText: true,
      redact: async (text) => text.replaceAll("Rome", "[city]").replaceAll("2024", "[year]"),
    });
    const entries = await run(journal, { plugins: [journalPlugin(journal), redactPlugin(redact)] });
    expect(entries.map(({ type }) => type)).toContain("offloaded");
    expect(only(entries, "stayed-inline")[0]?.text?.text).toBe("It rains. Card [card].");
    expect(only(entries, "offloaded")[0]?.artifact.arguments?.text).toBe('{"since":"[year]"}');
    for (const word of [SECRET, "Rome", "2024"]) expect(all()).not.toContain(word);
  });

  it("withholds a text where its function fails, and goes on", async () => {
    const journal = fileJournal({
      directory,
      redact: () => {
        throw new Error("out of order");
      },
    });
    const [offloaded] = only(await run(journal), "offloaded");
    expect(offloaded?.descriptor).toEqual({ text: "", withheld: true });
    expect(all()).not.toContain("Rome");
  });

  it("has no text beside an encrypted store, and inlineText is refused there", async () => {
    const current = { id: "k1", key: Buffer.alloc(32, 7) };
    const store = encrypted(memoryStore(), { current });
    const [offloaded] = only(await run(fileJournal({ directory }), { store }), "offloaded");
    expect(offloaded?.descriptor).toBeUndefined();
    expect(offloaded?.artifact.arguments).toBeUndefined();
    expect(all()).not.toContain("Rome");
    expect(() =>
      createOffloader({ store, plugins: [journalPlugin(fileJournal({ inlineText: true }))] }),
    ).toThrow(/inlineText/);
  });

  it("lies in files of this user only", async () => {
    const inner = join(directory, "made");
    const offloader = createOffloader({
      store: memoryStore(),
      plugins: [journalPlugin(fileJournal({ directory: inner }))],
    });
    await offloader.offload({ toolName: "t", value: "small", sessionId: "s" });
    await offloader.close();
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    const modes = readdirSync(inner).map((name) => statSync(join(inner, name)).mode & 0o777);
    expect(modes).toEqual([0o600]);
  });

  it("says whose session a failed write was of, and nothing of the error's message", async () => {
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("at /home/anna")) };
    const [failed] = only(await run(fileJournal({ directory }), { store }), "write-failed");
    expect(failed).toMatchObject({ toolName: "orders", session: sessionKeyOf("thread-1") });
    expect(all()).not.toContain("anna");
  });
});

describe("a journal of one's own", () => {
  it("costs no tool call when it throws or rejects", async () => {
    for (const append of [
      () => {
        throw new Error("full");
      },
      (() => Promise.reject(new Error("full"))) as () => void,
    ]) {
      const journal: Journal = { append, flush: () => Promise.reject(new Error("full")) };
      const offloader = createOffloader({
        store: memoryStore(),
        plugins: [journalPlugin(journal)],
      });
      const value = JSON.stringify(rows);
      const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
      expect(result.outcome).toBe("offloaded");
      await offloader.close();
    }
  });
});
