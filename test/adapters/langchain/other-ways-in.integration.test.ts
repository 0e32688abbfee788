import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

import { ToolMessage } from "@langchain/core/messages";
import { entrypoint, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { aging } from "../../../src/adapters/langchain/aging/index.js";
import {
  createDrillInTools,
  fileStore,
  memoryStore,
  type Offloader,
  offloadFrom,
  offloadNode,
  type OffloadOptions,
  withOffload,
} from "../../../src/index.js";
import { code } from "../../../src/plugins/code/index.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { mcpagent } from "../../../src/presets/mcpagent/mcpagent.js";
import type { ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "../agents.js";
import { toolMessages } from "../large-outputs.js";

const makeDirectory = temporaryDirectories();

const opened = openedOffloaders();

const records = (count: number, more = "") =>
  Array.from({ length: count }, (_, id) => ({ id, text: `row ${id}${more}` }));

/** Runs an agent on one thread; tools may be made for its offloader. */
async function run(
  turns: readonly ScriptedTurn[],
  tools: readonly object[],
  options: OffloadOptions = {},
) {
  const { offloader } = opened(options);
  const wrap = (one: object): object => (typeof one === "function" ? one(offloader) : one);
  const more = { checkpointer: new MemorySaver() };
  const agent = agentOf([...turns, "Done."], tools.map(wrap), { offloader }, more);
  const config = { ...thread("one"), recursionLimit: 99 };
  const { messages } = await agent.invoke({ messages: "Go." }, config);
  const answers = toolMessages(messages);
  return { requests: agent.model.requests, answers, texts: answers.map(({ text }) => text) };
}

describe("a large result of a tool that code calls", () => {
  const large = records(12_000, " long".repeat(20));
  const asked = { tools: ["list", "page"], interruptOn: {} };

  const LIST = toolNamed("list", () => large);
  const PAGE = toolNamed("page", () => ({ items: large, next_cursor: "c" }));
  const COUNT = "let n = 0; for (const row of await tools.list({})) n += 1; return n";

  it.each([
    [COUNT, "12000"],
    [COUNT.replace("list", "page"), "one part only"],
    ["return (await tools.list({})).total", "[...result] is a list"],
    ["return Object.keys(await tools.list({})).length", "[...result] is a list"],
  ])("is no data to %s", async (program, expected) => {
    const turn = calling("code_tool_output", { code: program });
    const { texts } = await run([turn], [LIST, PAGE], { plugins: [code(asked)] });
    expect(texts[0]).toContain(expected);
  });

  it("is not stored if the tool is excluded", async () => {
    const directory = await makeDirectory();
    const options = { store: fileStore({ directory }), exclude: ["list"], plugins: [code(asked)] };
    const { texts } = await run([calling("code_tool_output", { code: COUNT })], [LIST], options);
    expect(texts[0]).toContain("12000");
    const files = existsSync(directory) ? readdirSync(directory) : [];
    expect(
      files.some((file) => readFileSync(`${directory}/${file}`, "utf8").includes("row 17")),
    ).toBe(false);
  });

  it("stays while the model has not seen the turn", async () => {
    const options = { retention: { maxSessionBytes: 2_000_000 }, plugins: [code(asked)] };
    const program = "for (const page of [1, 2, 3]) await tools.list({}); return 1";
    const both: ScriptedTurn = {
      toolCalls: [
        { name: "list", args: {} },
        { name: "code_tool_output", args: { code: program } },
      ],
    };
    const counts = reads("jq_tool_output", { filter: "length", slurp: true });
    const { texts } = await run([both, counts], [LIST], options);
    expect(texts.at(-1)).toMatch(/^12000\b/);
  });
});

it("a node that gets no config stores in the thread that it runs in", async () => {
  const { offloader } = opened();
  const [, , jq] = createDrillInTools(offloader);
  const content = JSON.stringify(records(500));
  const node = offloadNode(
    async () => [new ToolMessage({ content, name: "orders", tool_call_id: "c1" })],
    { offloader },
  );
  const app = entrypoint({ name: "app", checkpointer: new MemorySaver() }, async () => {
    const [message] = (await Reflect.apply(node, undefined, [[]])) as ToolMessage[];
    const [, id] = /"file_path":"([^"]+)"/.exec(message?.text ?? "") ?? [];
    return String(await jq?.invoke({ id, filter: "length", slurp: true }));
  });
  expect(await app.invoke("Go.", thread("t"))).toMatch(/^500\b/);
});

it("a turn's budget is shared by calls of a run that was resumed before its tools", async () => {
  const { offloader } = opened({ threshold: { tokens: 100_000 }, turnBudget: { tokens: 3_000 } });
  const sizes = { a: 1_540, b: 1_100, c: 1_320 };
  const tools = Object.entries(sizes).map(([name, words]) =>
    toolNamed(name, () => "word ".repeat(words)),
  );
  const all: ScriptedTurn = { toolCalls: Object.keys(sizes).map((name) => ({ name, args: {} })) };
  const agent = agentOf([all, "Done."], tools, { offloader }, { checkpointer: new MemorySaver() });
  const config = thread("one");
  await agent.invoke({ messages: "Go." }, { ...config, interruptBefore: ["tools"] });
  const { messages } = await agent.invoke(null, config);
  const offloaded = messages.filter(({ text }) => text.startsWith('{"offloaded"'));
  expect(offloaded).toHaveLength(1);
});

const rows = Array.from({ length: 300 }, (_, id) => ({
  id,
  name: `user ${id}`,
  city: ["Bern", "Chur"][id % 2],
  amount: id * 1.5,
  state: ["open", "closed", "late"][id % 3],
}));
const NOTE = `\nNot delivered: ${Array.from({ length: 60 }, (_, id) => `order #${9000 + id}`).join(", ")}`;
const words = "word ".repeat(1_500);

const named = (name: string, run: (config: unknown) => unknown, more: object = {}) =>
  toolNamed(name, (_, config) => run(config), undefined, more);

const fillers: ScriptedTurn[] = Array.from({ length: 9 }, () => calling("filler"));
const filler = named("filler", () => words);

/** A turn that reads what a text of the conversation names. */
function reads(name: string, args: object, of = /file_path\\*":\\*"([^"\\]+)/): ScriptedTurn {
  return (messages) => {
    const id = of.exec(messages.map(({ text }) => text).join("\n"))?.[1] ?? "none";
    return { toolCalls: [{ id: `${name}_${messages.length}`, name, args: { id, ...args } }] };
  };
}

const AGED = /read_tool_output\("(\w{26})"\)/;
const ages = (mode: "mark" | "replace") =>
  aging({ trigger: { tokens: 1_000 }, keep: { results: 1 }, mode });

describe.each(["mark", "replace"] as const)("a result that ages by %s", (mode) => {
  it("comes back with what the tool wrote beside a descriptor", async () => {
    const report = named("report", async (config) => (await offloadFrom(config)(rows)) + NOTE);
    const turns = [calling("report"), ...fillers, reads("read_tool_output", {}, AGED)];
    const { answers } = await run(turns, [report, filler], { plugins: [ages(mode)] });
    expect(answers.at(-1)?.text).toContain("#9059");
  });

  it("can be read back after an hour if it is the answer of a drill-in", async () => {
    let nowMs = 1_800_000_000_000;
    const list = named("list", () =>
      Array.from({ length: 400 }, (_, id) => ({ id, name: `user ${id}` })),
    );
    const asks = Array.from({ length: 12 }, (_, page) =>
      reads("jq_tool_output", { filter: `select(.id >= ${page})` }),
    );
    const late: ScriptedTurn = (messages, ...rest) => {
      nowMs += 7_200_000;
      const aged = messages.findLast(({ text }) => text.startsWith("[aged: jq_tool_output"));
      const turn = reads("read_tool_output", {}, AGED);
      return typeof turn === "function" ? turn([aged ?? messages[0]] as never, ...rest) : turn;
    };
    const options = { store: memoryStore({ now: () => nowMs }), now: () => nowMs };
    const turns = [calling("list"), ...asks, late];
    const { answers } = await run(turns, [list], { ...options, plugins: [ages(mode)] });
    expect(answers.at(-1)?.text).toMatch(/^The whole output.*\n\{"id":\d+,"name":"user/);
  });

  it("names the output where a preset has described it", async () => {
    const turns = [calling("list"), ...fillers];
    const tools = [
      named("list", () => Array.from({ length: 3_000 }, (_, id) => `line ${id}`).join("\n")),
      filler,
    ];
    const options = { preset: mcpagent(), plugins: [ages(mode)] };
    const { requests, answers } = await run(turns, tools, options);
    const id: unknown = answers.find(({ name }) => name === "list")?.artifact.id;
    const line = requests.at(-1)?.find(({ text }) => text.startsWith("[aged"))?.text;
    expect(line).toContain(String(id));
  });
});

describe("redaction", () => {
  const hash = (user: string): string =>
    createHash("sha256").update(user).digest("hex").slice(0, 8);
  const pseudonyms = redact((text) =>
    text.replaceAll(/(\w+)@[\w.]+/g, (_, user: string) => `${hash(user)}@hidden.example`),
  );
  const once = `${hash("ann")}@hidden.example`;
  const mails = Array.from({ length: 300 }, (_, id) => ({ id, from: "ann@corp.com" }));

  it("changes a descriptor inside of other text no second time", async () => {
    const keys = redact((text) => text.replaceAll(/\b[A-Za-z0-9]{24,}\b/g, "[KEY]"));
    const report = named(
      "report",
      async (config) => `300 orders.\n${await offloadFrom(config)(rows)}`,
    );
    const turns = [calling("report"), reads("jq_tool_output", { filter: "length", slurp: true })];
    const { answers } = await run(turns, [report], { plugins: [keys] });
    expect(answers[1]?.text).toMatch(/^300\b/);
    const told = named("report", async (config) => `Mails: ${await offloadFrom(config)(mails)}`);
    expect(
      (await run([calling("report")], [told], { plugins: [pseudonyms] })).answers[0]?.text,
    ).toContain(once);
  });

  it.each(["mark", "replace"] as const)(
    "changes an aged result no second time, by %s",
    async (mode) => {
      const list = named("list", () => "From ann@corp.com: hello. ".repeat(250));
      const turns = [calling("list"), ...fillers, reads("read_tool_output", {}, AGED)];
      const { answers } = await run(turns, [list, filler], { plugins: [pseudonyms, ages(mode)] });
      expect(answers.at(-1)?.text).toContain(once);
    },
  );

  it("changes the small output of a wrapped tool no second time", async () => {
    const small = named("small", () => "From ann@corp.com");
    const wrapped = (offloader: Offloader) => withOffload(small, { offloader });
    const { answers } = await run([calling("small")], [wrapped], { plugins: [pseudonyms] });
    expect(answers[0]?.text).toBe(`From ${once}`);
  });
});

it("a session may be chosen by the context of the run, whose other users cannot read it", async () => {
  const { offloader } = opened();
  const session = ({ context }: { context: unknown }) => Object(context).user as string;
  const contextSchema = z.object({ user: z.string() });
  const list = toolNamed("list", () => rows);
  const agent = agentOf([calling("list")], [list], { offloader, session }, { contextSchema });
  for (const user of ["ann", "bob"])
    await agent.invoke({ messages: "Go." }, { ...thread(user), context: { user } });
  expect(["ann", "bob"].map((user) => offloader.stats(user).outputsOffloaded)).toEqual([1, 1]);
});

it("offloadFrom takes texts as blocks, and gives what stands beside the data too", async () => {
  const blocks = [JSON.stringify(rows), "Page 1 of 7."].map((text) => ({ type: "text", text }));
  const report = named("report", async (config) => await offloadFrom(config)(blocks));
  const { answers } = await run([calling("report")], [report]);
  expect(answers[0]?.text).toMatch(/Page 1 of 7\.[^]*"offloaded":true/);
});

it.each([
  [
    "has an artifact of its own",
    { responseFormat: "content_and_artifact" },
    (text: string) => [text, { chart: 1 }],
  ],
  [
    "reports an error",
    {},
    (content: string) => new ToolMessage({ content, status: "error", tool_call_id: "call_0_0" }),
  ],
  ["gives an object", {}, (note: string) => ({ note })],
])(
  "what a tool stored by itself can be read where the tool %s, also without a thread id",
  async (_, fields, result) => {
    const { offloader } = opened();
    const report = named(
      "report",
      async (config) => result(`300: ${await offloadFrom(config)(rows)}`),
      fields,
    );
    const asks = reads("jq_tool_output", { filter: "length", slurp: true });
    for (const one of [report, withOffload(report, { offloader, trace: "descriptor" })]) {
      const storing = agentOf([calling("report")], [one], { offloader });
      const first = await storing.invoke({ messages: "Go." });
      const given = { messages: [...first.messages, "Count."] };
      const { messages } = await agentOf([asks], [one], { offloader }).invoke(given);
      expect(messages.at(-2)?.text).toMatch(/^300\n/);
    }
  },
);
