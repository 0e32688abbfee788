import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { Command, Overwrite, REMOVE_ALL_MESSAGES, Send } from "@langchain/langgraph";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";

import {
  createDrillInTools,
  memoryStore,
  offloadNode,
  offloadToolNode,
} from "../../../src/index.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { sharedOffloader } from "../../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "../agents.js";
import {
  countRome,
  handWrittenGraph,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "../large-outputs.js";

const offloader = sharedOffloader();

const full = JSON.stringify(rows);
const isDescriptor = expect.stringMatching(/^\{"offloaded":true/);
const inThread = thread("t-node");
const asking = (id: string) =>
  new AIMessage({ content: "", tool_calls: [{ name: "list_rows", args: { only: "Rome" }, id }] });
const asked = asking("c1");
const answer = (id = "c1") => new ToolMessage({ content: full, tool_call_id: id });

it("a ToolNode with offloading around it keeps its name and tags, and the given one still returns the whole output", async () => {
  const given = new ToolNode([rowsTool()], { name: "my_tools", tags: ["mine"] });
  expect(offloadNode(given, { offloader })).toMatchObject({
    name: "my_tools",
    config: { tags: ["mine"] },
  });
  expect(given.tools).toHaveLength(1);
  const { messages } = (await given.invoke({ messages: [asked] })) as { messages: ToolMessage[] };
  expect(JSON.parse(messages[0]?.text ?? "")).toHaveLength(400);
});

describe("a node function with offloading around it", () => {
  it("pipelines every form in which a node may return messages", async () => {
    const send = new Send("model", { messages: [] });
    const call = { toolName: "list_rows", args: { only: "Rome" } };
    const forms: [returned: unknown, expected: unknown][] = [
      [
        { messages: [answer()] },
        { messages: [{ content: isDescriptor, tool_call_id: "c1", artifact: call }] },
      ],
      [{ messages: answer() }, { messages: { content: isDescriptor } }],
      [{ chat: [asking("c9"), answer("c9")] }, { chat: [{}, { artifact: call }] }],
      [[answer()], [{ content: isDescriptor }]],
      [answer(), { content: isDescriptor }],
      [
        new Command({ update: { messages: [answer()], seen: 1 }, goto: "model" }),
        { update: { messages: [{ content: isDescriptor }], seen: 1 }, goto: ["model"] },
      ],
      [
        new Command({ update: [["messages", [answer()]]], graph: Command.PARENT }),
        { update: [["messages", [{ content: isDescriptor }]]], graph: Command.PARENT },
      ],
      [
        [new Command({ update: { messages: [answer()] } }), { messages: [answer("c2")] }],
        [
          { update: { messages: [{ content: isDescriptor }] } },
          { messages: [{ tool_call_id: "c2" }] },
        ],
      ],
      [send, send],
      [
        new Command({ goto: [new Send("model", { messages: [answer()], seen: 1 }), "end"] }),
        { goto: [{ args: { messages: [{ content: isDescriptor }], seen: 1 } }, "end"] },
      ],
      [undefined, undefined],
      ["text", "text"],
    ];
    for (const [returned, expected] of forms) {
      const node = offloadNode((_state: unknown) => returned, { offloader });
      const offloaded: unknown = await node({ messages: [asked] });
      if (typeof expected === "object" && expected !== null) {
        expect(offloaded).toMatchObject(expected);
      } else {
        expect(offloaded).toBe(expected);
      }
    }
  });

  it("leaves the messages that it was handed and those of other kinds, in any channel, but not an equal answer of another id", async () => {
    const old = new ToolMessage({ id: "m1", content: full, tool_call_id: "c1" });
    const again = new ToolMessage({ id: "m2", content: full, tool_call_id: "c1" });
    const said = new HumanMessage(full);
    const node = offloadNode(
      ({ chat }: { chat: (AIMessage | ToolMessage)[] }) => ({ chat: [...chat, said, again] }),
      { offloader },
    );
    const call = { name: "list_rows", id: "c1" };
    const tool_calls = [
      { ...call, args: { only: "Rome" } },
      { ...call, args: {} },
    ];
    const twins = new AIMessage({ content: "", tool_calls });
    const { chat } = await node({ chat: [twins, old] });
    expect(chat[1]).toBe(old);
    expect(chat[2]).toBe(said);
    // The tool's name is that of the call, also where a message has two calls of one id.
    const artifact = { toolName: "list_rows" };
    expect(chat[3]).toMatchObject({ content: isDescriptor, tool_call_id: "c1", artifact });
  });
});

describe("A7: a node that returns messages which it was handed", () => {
  const handed = [asked, answer()];
  const copyOf = (message: ToolMessage, id?: string): ToolMessage =>
    new ToolMessage({
      content: message.content,
      tool_call_id: message.tool_call_id,
      ...(id && { id }),
    });

  it.each([
    [
      "copies with the ids they had",
      () => handed.map((one) => (ToolMessage.isInstance(one) ? copyOf(one, "m1") : one)),
    ],
    [
      "copies after a removal of all",
      () => [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), asked, copyOf(answer())],
    ],
    ["copies in place of what the channel has", () => new Overwrite([asked, copyOf(answer())])],
  ])("leaves %s", async (_, update) => {
    const node = offloadNode((_state: object, _config: object) => ({ messages: update() }), {
      offloader,
    });
    const { messages } = await node({ messages: handed }, inThread);
    const list = Overwrite.isInstance(messages) ? (messages.value as unknown[]) : messages;
    expect((list as ToolMessage[]).at(-1)?.text).toBe(full);
  });
});

const store = memoryStore();
const toolsOffloader = sharedOffloader({ store });

const toolsCallRows = calling("list_rows");

it("a hand-written graph treats errors as a ToolNode does", async () => {
  const failing = toolNamed("list_rows", () => {
    throw new Error("no such table");
  });
  const answers = await Promise.all(
    [new ToolNode([failing]), offloadToolNode([failing], { offloader: toolsOffloader })].map(
      async (node) => {
        const calls = { toolCalls: [...toolsCallRows.toolCalls, { name: "unknown", args: {} }] };
        const graph = handWrittenGraph(scriptedModel([calls]), [], node).compile();
        return toolMessages((await graph.invoke(question)).messages).map((message) => [
          message.status,
          message.text,
        ]);
      },
    ),
  );
  expect(answers[1]).toEqual(answers[0]);
  const given = new ToolNode([failing], { handleToolErrors: false });
  const strict = offloadToolNode(given, { offloader: toolsOffloader });
  const graph = handWrittenGraph(scriptedModel([toolsCallRows]), [], strict).compile();
  await expect(graph.invoke(question)).rejects.toThrow("no such table");
});

describe("a tool node", () => {
  it("works in createReactAgent, which binds the drill-in tools from it", async () => {
    const model = scriptedModel([toolsCallRows, countRome]);
    const node = offloadToolNode([rowsTool()], { offloader: toolsOffloader });
    const agent = createReactAgent({ llm: model, tools: node });
    const { messages } = await agent.invoke(question, thread("t-react"));
    expect(model.boundTools).toContain("jq_tool_output");
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });

  it("has no tool twice when the drill-in tools were given with the others", () => {
    const node = offloadToolNode([rowsTool(), ...createDrillInTools(toolsOffloader)], {
      offloader: toolsOffloader,
    });
    const names = node.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

const renamedOffloader = sharedOffloader({
  exclude: ["private"],
  perTool: { open: { plugins: { redact: false } } },
  plugins: [redact((text) => text.replaceAll("secret", "[gone]"))],
});
const large = "a secret line\n".repeat(4_000);

/** A tool that writes another name into its answer than it is called by. */
function answering(
  name: string,
  written: string,
  isCommand: boolean,
  status: "success" | "error" = "success",
) {
  return toolNamed(name, (_given: object, { toolCall }: { toolCall?: { id?: string } }) => {
    const fields = { content: large, tool_call_id: toolCall?.id ?? "", name: written, status };
    const messages = [new ToolMessage(fields)];
    return isCommand ? new Command({ update: { messages } }) : messages[0];
  });
}

it.each([true, false])(
  "goes by the tool that was called, whatever name its answer has (in a command: %s)",
  async (isCommand) => {
    const tools = [
      answering("private", "result", isCommand),
      answering("result", "private", isCommand),
      answering("exempt", "open", isCommand, "error"),
      answering("plain", "read_tool_output", isCommand),
    ];
    const tool_calls = tools.map(({ name }) => ({ name, args: {}, id: name }));
    const asking = { messages: [new AIMessage({ content: "", tool_calls })] };
    const agent = agentOf([{ toolCalls: tool_calls }], tools, { offloader: renamedOffloader });
    const node = offloadToolNode(tools, { offloader: renamedOffloader });
    const update = async () => ({
      messages: await Promise.all(
        tools.map(async (own) => {
          const call = { type: "tool_call" as const, name: own.name, args: {}, id: own.name };
          return (await own.invoke(call, { toolCall: call })) as never;
        }),
      ),
    });
    const written = offloadNode(
      async () => (isCommand ? (await update()).messages : await update()),
      { offloader: renamedOffloader },
    );
    const results: unknown[] = [
      await agent.invoke({ messages: "Go." }),
      await node.invoke(asking),
      await Reflect.apply(written, undefined, [asking]),
    ];
    for (const result of results) {
      const updates = [result].flat() as { messages?: never[]; update?: { messages: never[] } }[];
      const messages = updates.flatMap((one) => toolMessages((one.update ?? one).messages ?? []));
      const texts = new Map(messages.map((one) => [one.tool_call_id, one.text]));
      expect(texts.get("private")).toBe(large.replaceAll("secret", "[gone]"));
      expect(texts.get("result")).toMatch(/^\{"offloaded":true/);
      expect(texts.get("exempt")).not.toContain("secret");
      expect(texts.get("plain")).toMatch(/^\{"offloaded":true/);
      expect(texts.size).toBe(4);
    }
  },
);
