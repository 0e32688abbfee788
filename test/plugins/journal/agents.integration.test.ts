import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolStrategy } from "langchain";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { aging } from "../../../src/adapters/langchain/aging/index.js";
import { humanMessages } from "../../../src/adapters/langchain/human-messages/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { createOffloader, memoryStore } from "../../../src/index.js";
import {
  type JournalOptions,
  type ReadEntry,
  journal,
  readJournal,
} from "../../../src/plugins/journal/index.js";
import { journalTo } from "../../../src/plugins/journal/journal.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import type { ScriptedTurn } from "../../../src/testing/index.js";
import { agentOf, calling, type MoreOfAgent, thread, toolNamed } from "../../adapters/agents.js";
import { everything } from "./entries.js";
import { newDirectory } from "../../after-file.js";

let directory = newDirectory();
beforeEach(() => void (directory = newDirectory()));

const SECRET = "4111-1111-1111-1111";
const SESSION = sessionKeyOf("thread-1");
const rows = Array.from({ length: 400 }, (_, id) => ({ id, city: "Rome", note: "as before" }));
const since = z.object({ since: z.string().optional() });
const tools = [
  toolNamed("orders", () => JSON.stringify(rows), since),
  toolNamed("weather", () => `It rains. Card ${SECRET}.`),
  toolNamed(
    "report",
    ({ n }) => `Report ${n}\n${`line of ${n} as before\n`.repeat(800)}`,
    z.object({ n: z.number() }),
  ),
];
const idIn = (text: string): string => /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(text)?.[0] ?? "";

const ORDERS: readonly ScriptedTurn[] = [
  { toolCalls: [{ name: "orders", args: { since: "2024" }, id: "call_1" }] },
  (messages) => {
    const args = { id: idIn(messages.at(-1)?.text ?? ""), offset: 1, limit: 3 };
    const read = { name: "read_tool_output", args, id: "call_2" };
    return { toolCalls: [read, { name: "weather", args: {}, id: "call_3" }] };
  },
  "Three orders, and rain.",
];
const REPORTS: readonly ScriptedTurn[] = [
  ...[1, 2, 3, 4, 5].map((n) => ({ toolCalls: [{ name: "report", args: { n } }] })),
  (messages) => {
    const id = idIn(messages.map(({ text }) => text).join(" "));
    return { toolCalls: [{ name: "read_tool_output", args: { id } }] };
  },
  "All read.",
];

interface Run {
  readonly options?: JournalOptions;
  readonly offloading?: Partial<Parameters<typeof createOffloader>[0]>;
  readonly script?: readonly ScriptedTurn[];
  readonly more?: MoreOfAgent;
}

/** Runs an agent with a journal in the directory, and gives the entries of its thread. */
async function run({ options, offloading, script = ORDERS, more }: Run = {}): Promise<
  readonly ReadEntry[]
> {
  const { plugins = [], ...others } = offloading ?? {};
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: [journal({ directory, ...options }), ...plugins],
    ...others,
  });
  const agent = agentOf(script, tools, { offloader }, more);
  await agent.invoke({ messages: "Look. ".repeat(600) }, thread("thread-1"));
  await offloader.close();
  return await everything(directory, SESSION);
}

const all = (): string =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .join("");
type Of<Type> = Extract<ReadEntry, { type: Type }>;
const only = <Type extends ReadEntry["type"]>(entries: readonly ReadEntry[], type: Type) =>
  entries.filter((one): one is Of<Type> => one.type === type);

describe("a journal of an agent", () => {
  let entries: readonly ReadEntry[] = [];
  let written = "";
  let told: Awaited<ReturnType<ReturnType<typeof readJournal>["sessions"]>>;
  beforeAll(async () => {
    entries = await run();
    written = all();
    told = await readJournal(directory).sessions();
  });

  it("has what happened, in its order, with what the model saw and asked", () => {
    const types = entries.map(({ type }) => type);
    const call = ["model-called", "model-answered"];
    const between = types.filter((type) => type === "drilled-in" || type === "stayed-inline");
    const told = types.filter((type) => type !== "tools-shown");
    expect(told).toEqual([...call, "offloaded", ...call, ...between, ...call]);
    const [offloaded] = only(entries, "offloaded");
    expect(offloaded).toMatchObject({
      toolCallId: "call_1",
      artifact: { toolName: "orders", recordCount: 400, arguments: { text: '{"since":"2024"}' } },
    });
    expect(offloaded?.descriptor?.text).toContain(offloaded?.artifact.id);
    const [read, ...others] = only(entries, "drilled-in");
    const artifactId = offloaded?.artifact.id;
    expect(read).toMatchObject({ tool: "read_tool_output", toolCallId: "call_2", artifactId });
    expect(read?.arguments?.text).toContain('"limit":3');
    expect(read?.answerBytes).toBeGreaterThan(20);
    expect(others).toEqual([]);
    const [stayed] = only(entries, "stayed-inline");
    expect(stayed).toMatchObject({ toolName: "weather", sizeBytes: 35 });
    expect(stayed?.text).toBeUndefined();
    expect(written).not.toContain(SECRET);
  });

  it("has the context of each model call by its parts, with and without this library", () => {
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
    const [answered] = only(entries, "model-answered");
    expect(answered).toMatchObject({ toolCalls: ["orders"], failed: false });
  });

  it("sums a session up", () => {
    const { total, sessions } = told;
    expect(total).toBe(1);
    expect(sessions[0]).toMatchObject({
      id: SESSION,
      counts: { offloaded: 1, "drilled-in": 1, "stayed-inline": 1, "model-called": 3 },
    });
    const { inputTokens } = sessions[0] ?? {};
    expect(inputTokens?.withoutTokens).toBeGreaterThan(inputTokens?.withTokens ?? Infinity);
  });

  it("has what a context would be without this library, which shrinks with no result that leaves", async () => {
    const plugins = [aging({ trigger: { tokens: 1_200 }, keep: { results: 1 } })];
    const entries = await run({ script: REPORTS, offloading: { plugins } });
    const [left] = only(entries, "aged");
    expect(left?.lines?.map(({ text }) => idIn(text))).toEqual(left?.artifactIds);
    const without = only(entries, "model-called").map(({ withoutTokens }) => withoutTokens);
    expect(without).toEqual(without.toSorted((one, other) => one - other));
    // The call of this library's tool and its answer would not be there.
    expect(without.at(-1)).toBe(without.at(-2));
    expect(only(entries, "drilled-in")).toHaveLength(1);
  });

  it("has nothing that a function takes out, and no words of a user", async () => {
    const hidden = { [SECRET]: "[card]", Rome: "[city]", 2024: "[year]" };
    const hide = (text: string): string =>
      Object.entries(hidden).reduce((left, [word, put]) => left.replaceAll(word, put), text);
    const options = { inlineText: true };
    const over = (tokens: number) => [redactPlugin(hide), humanMessages({ threshold: { tokens } })];
    await run({ options, offloading: { plugins: over(9_000) } });
    const entries = await run({ options, offloading: { plugins: over(1_000) } });
    expect(only(entries, "stayed-inline").at(-1)?.text?.text).toBe("It rains. Card [card].");
    expect(only(entries, "offloaded")[0]?.artifact.arguments?.text).toBe('{"since":"[year]"}');
    expect(only(entries, "drilled-in")[0]?.arguments?.text).toContain('"limit":3');
    for (const word of ["Look", ...Object.keys(hidden)]) expect(all()).not.toContain(word);
  });

  it("has no text beside an encrypted store, and inlineText is refused there", async () => {
    const current = { id: "k1", key: Buffer.alloc(32, 7) };
    const store = encrypted(memoryStore(), { current });
    const [offloaded] = only(await run({ offloading: { store } }), "offloaded");
    expect(offloaded?.descriptor).toBeUndefined();
    expect(offloaded?.artifact.arguments).toBeUndefined();
    expect(all()).not.toContain("Rome");
    const plugins = [journal({ inlineText: true })];
    expect(() => createOffloader({ store, plugins })).toThrow(/inlineText/);
  });

  it("lies in files of this user only", async () => {
    directory = join(directory, "made");
    const plugins = [journal({ directory })];
    const offloader = createOffloader({ store: memoryStore(), plugins });
    await offloader.offload({ toolName: "t", value: "small", sessionId: "s" });
    await offloader.close();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const names = readdirSync(directory);
    expect(names.map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual([0o600]);
  });

  it("says whose session a failed write was of, and nothing of the error's message", async () => {
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("at /home/anna")) };
    const [failed] = only(await run({ offloading: { store } }), "write-failed");
    expect(failed).toMatchObject({ toolName: "orders", session: SESSION });
    expect(all()).not.toContain("anna");
  });
});

it("a journal that throws costs no tool call", async () => {
  const append = (): never => {
    throw new Error("full");
  };
  const plugins = [journalTo({ append, flush: () => Promise.reject(new Error("full")) })];
  const offloader = createOffloader({ store: memoryStore(), plugins });
  const value = JSON.stringify(rows);
  const { outcome } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  expect(outcome).toBe("offloaded");
  await offloader.close();
});

describe("a full disk", () => {
  const CHILD = fileURLToPath(new URL("full-disk-child.ts", import.meta.url));

  /** Writes in a process whose files may have so many blocks, which stands for a disk that has no more. */
  function writeUnder(blocks: number, batches: readonly number[]): unknown {
    const script = `ulimit -f ${blocks} && exec "$0" --import tsx "$@"`;
    const args = ["-c", script, process.execPath, CHILD, directory, ...batches.map(String)];
    const env = { ...process.env, TSX_DISABLE_CACHE: "1" };
    return JSON.parse(execFileSync("sh", args, { encoding: "utf8", env }));
  }

  it("leaves no segment without an entry, tears no line of one, and loses no entry uncounted", async () => {
    writeUnder(0, [1, 1, 1]);
    expect(readdirSync(directory)).toEqual([]);
    expect(writeUnder(8, [2, 10, 0, 10, 1])).toBeLessThanOrEqual(2);
    const reader = readJournal(directory);
    const { lostEntries, skippedLines } = await reader.losses();
    expect(skippedLines).toBe(0);
    expect((await reader.session("s"))?.entries).toBe(23 - lostEntries);
    expect(lostEntries).toBe(20);
  });
});

it("a journal has the calls of an answer that is the structured response", async () => {
  const schema = { type: "object", title: "report", properties: {} };
  const responseFormat = toolStrategy(schema as never) as never;
  const entries = await run({ script: [calling("report")], more: { responseFormat } });
  expect(only(entries, "model-answered")).toMatchObject([{ toolCalls: ["report"] }]);
});
