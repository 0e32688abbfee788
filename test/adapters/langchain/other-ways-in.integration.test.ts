import { existsSync, readdirSync, readFileSync } from "node:fs";

import { AIMessage, type HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, entrypoint, MemorySaver, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import {
  createDrillInTools,
  fileStore,
  type Offloader,
  offloadNode,
  type OffloadOptions,
} from "../../../src/index.js";
import { code } from "../../../src/plugins/code/index.js";
import { media } from "../../../src/plugins/media/media.js";
import type { ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { imageBlock, pdf, png } from "../../core/pipeline/media/samples.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "../agents.js";
import { toolMessages } from "../large-outputs.js";

const makeDirectory = temporaryDirectories();

const openedOne = openedOffloaders();
const opened = (options?: OffloadOptions): Offloader => openedOne(options).offloader;

const records = (count: number, more = "") =>
  Array.from({ length: count }, (_, id) => ({ id, text: `row ${id}${more}` }));

async function answersOf(
  offloader: Offloader,
  turns: readonly ScriptedTurn[],
  tools: readonly object[],
) {
  const more = { checkpointer: new MemorySaver() };
  const agent = agentOf([...turns, "Done."], tools, { offloader }, more);
  const { messages } = await agent.invoke({ messages: "Go." }, thread("one"));
  return toolMessages(messages).map(({ text }) => text);
}

describe("a large result of a tool that code calls", () => {
  const large = records(12_000, " long".repeat(20));
  const asked = { tools: ["list"], interruptOn: {} };

  it.each([
    ["(await tools.list({})).filter((row) => row.id).length", "12000"],
    ["(await tools.list({})).total", "outputs.read(result.id)"],
    ["Object.keys(await tools.list({})).length", "outputs.read(result.id)"],
    ["[await tools.list({})].flat().filter((row) => row.open).length", "outputs.read(result.id)"],
    ["[...(await tools.list({}))].length", "12000"],
  ])("is no data to return %s", async (body, expected) => {
    const offloader = opened({ plugins: [code(asked)] });
    const program = body.includes(".filter((row) => row.id)")
      ? "let n = 0; for (const row of await tools.list({})) n += 1; return n"
      : `return ${body}`;
    const turn = calling("code_tool_output", { code: program });
    const [answer] = await answersOf(offloader, [turn], [toolNamed("list", () => large)]);
    expect(answer).toContain(expected);
  });

  it("is not stored if the tool is excluded", async () => {
    const directory = await makeDirectory();
    const options = { store: fileStore({ directory }), exclude: ["list"], plugins: [code(asked)] };
    const program = "let n = 0; for (const row of await tools.list({})) n += 1; return n";
    const tools = [toolNamed("list", () => large)];
    const turns = [calling("code_tool_output", { code: program })];
    expect((await answersOf(opened(options), turns, tools))[0]).toContain("12000");
    const files = existsSync(directory) ? readdirSync(directory) : [];
    expect(
      files.some((file) => readFileSync(`${directory}/${file}`, "utf8").includes("row 17")),
    ).toBe(false);
  });

  it("stays while the model has not seen the turn", async () => {
    const retention = { maxSessionBytes: 2_000_000 };
    const offloader = opened({ retention, plugins: [code(asked)] });
    const program = "for (const page of [1, 2, 3]) await tools.list({}); return 1";
    const both: ScriptedTurn = {
      toolCalls: [
        { name: "list", args: {} },
        { name: "code_tool_output", args: { code: program } },
      ],
    };
    const reads: ScriptedTurn = (messages) => {
      const [, id] =
        /"file_path":"([^"]+)"/.exec(messages.map(({ text }) => text).join("\n")) ?? [];
      return calling("jq_tool_output", { id, filter: "length", slurp: true });
    };
    const answers = await answersOf(offloader, [both, reads], [toolNamed("list", () => large)]);
    expect(answers.at(-1)).toMatch(/^12000\b/);
  });
});

describe("a node that gets no config", () => {
  it("stores in the thread that it runs in", async () => {
    const offloader = opened();
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

  it("knows the messages of every channel", async () => {
    const offloader = opened({ exclude: ["contract"] });
    const long = "word ".repeat(9_000);
    const State = Annotation.Root({
      chat: Annotation<(AIMessage | HumanMessage | ToolMessage)[]>({ reducer: (_, next) => next }),
    });
    const old = new ToolMessage({ content: long, name: "old", tool_call_id: "c0", id: "old" });
    const asks = new AIMessage({
      content: "",
      tool_calls: [{ name: "contract", args: {}, id: "c1" }],
    });
    const answer = new ToolMessage({ content: long, tool_call_id: "c1" });
    const node = offloadNode(({ chat }: typeof State.State) => ({ chat: [...chat, answer] }), {
      offloader,
    });
    const graph = new StateGraph(State)
      .addNode("node", node as never)
      .addEdge("__start__", "node")
      .compile();
    const { chat } = await graph.invoke({ chat: [old, asks] });
    expect(chat.map(({ text }) => text.length)).toEqual([long.length, 0, long.length]);
  });
});

it("a stored file is described also where an image costs fewer tokens, and no view is offered that is refused", async () => {
  const offloader = opened({
    plugins: [media({ views: ["image"], threshold: { bytes: 1_000 } })],
  });
  const tools = [
    toolNamed("shot", () => [imageBlock(png(160, 160, 90_000))]),
    toolNamed("scan", () => [
      { type: "file", mimeType: "application/pdf", data: pdf(7).toString("base64") },
    ]),
  ];
  const [shot = "", scan = ""] = await answersOf(
    offloader,
    [calling("shot"), calling("scan")],
    tools,
  );
  expect(shot).toContain("image/png, 160 x 160 pixels");
  expect(scan).toContain("cannot be shown");
});

it("a turn's budget is shared by calls of a run that was resumed before its tools", async () => {
  const offloader = opened({ threshold: { tokens: 100_000 }, turnBudget: { tokens: 3_000 } });
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
