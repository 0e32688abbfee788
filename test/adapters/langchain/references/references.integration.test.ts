import { referring } from "../../../referring.js";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { offloadNode } from "../../../../src/adapters/langchain/offload-node.js";
import { offloadToolNode } from "../../../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../../../src/adapters/langchain/with-offload.js";
import type { OffloadEvent } from "../../../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import {
  type Args,
  lastTool,
  listRows,
  manyRows,
  receiver,
  rows,
  storedIn,
  thread,
  toolListing,
} from "../../receiving-tool.js";

/** An agent that lists the rows and passes them on as `args` says. */
function passingAgent(
  args: (stored: StoredArtifact) => Args,
  options: OffloadOptions = {},
  receiving = receiver(),
  listing = listRows,
) {
  const events: OffloadEvent[] = [];
  const offloader = createOffloader({
    store: memoryStore(),
    ...referring({ send_report: ["rows"] }),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const model = scriptedModel([
    { toolCalls: [{ name: "list_rows", args: {} }] },
    (messages) => ({ toolCalls: [{ name: "send_report", args: args(storedIn(messages)) }] }),
  ]);
  const tools = [listing, receiving.sendReport];
  const middleware = [offloadMiddleware({ offloader })];
  const agent = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
  const run = async (id = "t") =>
    (await agent.invoke({ messages: [new HumanMessage("go")] }, thread(id))).messages;
  return { ...receiving, agent, offloader, model, events, run };
}

describe("an argument that is a reference", () => {
  it("gives a tool 50,000 rows that the conversation never holds", async () => {
    const { given, run, events, offloader } = passingAgent(
      ({ id }) => ({ rows: { $output: id } }),
      {},
      receiver(),
      toolListing(manyRows),
    );
    const messages = await run();
    expect(given).toEqual([{ rows: manyRows }]);
    const count = (message: BaseMessage): number => JSON.stringify(message.toDict()).length / 4;
    const passing = messages.slice(-3);
    expect(passing.map((message) => message.type)).toEqual(["ai", "tool", "ai"]);
    expect(passing.reduce((sum, message) => sum + count(message), 0)).toBeLessThan(300);
    expect(events.at(-1)).toMatchObject({
      type: "referenced",
      toolName: "send_report",
      parameter: "rows",
      artifactId: storedIn(messages).id,
      failed: false,
    });
    expect(offloader.stats("t").references).toBe(1);
    await offloader.close();
  });
});

describe("a reference that cannot be resolved", () => {
  const hostile: [string, (stored: StoredArtifact) => unknown, string, number?][] = [
    [
      "to nothing",
      () => ({ $output: "01K15KGTC8AZ5HD2QGHXZ3D0RH" }),
      "No stored output has this id or name. Stored in this session were: atlatl-list_rows-",
    ],
    ["to a path", () => ({ $output: "../../etc/passwd" }), "No stored output"],
    [
      "by a jq that loops",
      ({ id }) => ({ $output: id, jq: "last(repeat(1))" }),
      "jq was stopped after ",
      700,
    ],
    ["by a wrong jq", ({ id }) => ({ $output: id, jq: ".[" }), "syntax error"],
    [
      "by a field that is not there",
      ({ id }) => ({ $output: id, jq: ".items[] | .id" }),
      "Cannot iterate over null",
    ],
    [
      "to more than the tool takes",
      ({ id }) => ({ $output: id, jq: "[., ., ., .]" }),
      "this tool takes at most",
    ],
    [
      "by lines that are not there",
      ({ id }) => ({ $output: id, lines: [3000, 3001] }),
      "has 2001 lines, no line 3000",
    ],
  ];

  it.each(hostile)(
    "%s is answered, and the tool is not called",
    async (_, reference, problem, timeoutMs = 3000) => {
      const { given, run, offloader } = passingAgent((stored) => ({ rows: reference(stored) }), {
        ...referring({ send_report: { maxBytes: 100_000 } }),
        drillIn: { timeoutMs },
      });
      const answer = lastTool(await run());
      expect(answer.status).toBe("error");
      expect(answer.text).toContain(problem);
      expect(answer.text.length).toBeLessThan(1500);
      expect(given).toEqual([]);
      await offloader.close();
    },
  );

  const document = {
    id: "config",
    version: 3,
    items: Array.from({ length: 400 }, (_, id) => ({ id, label: `the label of item ${id}` })),
  };
  const map = Object.fromEntries(
    document.items.map(({ id, label }) => [`k${id}`, { node: id, label }]),
  );
  it.each([
    [".items", document],
    [".version", document],
    [".itmes", document],
    [".items[]?", document],
    ["select(.id < 0)", document],
    [".node | select(. != null)", map],
    ["[.[].nodes]", map],
  ])("by %s, which gives nothing or null alone, is answered with the fields", async (jq, value) => {
    const { given, run, offloader } = passingAgent(
      ({ id }) => ({ rows: { $output: id, jq } }),
      {},
      receiver(z.object({ rows: z.any() })),
      toolListing(value),
    );
    const answer = lastTool(await run());
    expect(answer.status).toBe("error");
    expect(answer.text).toMatch(/\blabel\b/);
    expect(given).toEqual([]);
    await offloader.close();
  });

  it("does not come out of the data: what they hold is handed over as it is", async () => {
    const inner = { $output: "01K15KGTC8AZ5HD2QGHXZ3D0RH" };
    const trap = tool(() => JSON.stringify({ rows: inner, pad: "x y ".repeat(20_000) }), {
      name: "list_rows",
      description: "",
    });
    const { given, sendReport } = receiver(z.object({ rows: z.any() }));
    const offloader = createOffloader({
      store: memoryStore(),
      ...referring({ send_report: true }),
    });
    const model = scriptedModel([
      { toolCalls: [{ name: "list_rows", args: {} }] },
      (messages) => ({
        toolCalls: [
          { name: "send_report", args: { rows: { $output: storedIn(messages).id, jq: ".rows" } } },
        ],
      }),
    ]);
    const agent = createAgent({
      model,
      tools: [trap, withOffload(sendReport, { offloader })],
      middleware: [offloadMiddleware({ offloader })],
    });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(given).toEqual([{ rows: inner }]);
    await offloader.close();
  });
});

describe("every way in", () => {
  let calls = 0;
  const called = (name: string, args: Args) => ({
    messages: [
      new AIMessage({
        content: "",
        tool_calls: [{ id: `call_${(calls += 1)}`, name, args, type: "tool_call" }],
      }),
    ],
  });

  const nodes: [string, (offloader: Offloader, tools: never[]) => ToolNode][] = [
    ["offloadToolNode", (offloader, tools) => offloadToolNode(tools, { offloader })],
    ["offloadNode(node)", (offloader, tools) => offloadNode(new ToolNode(tools), { offloader })],
    [
      "withOffload",
      (offloader, tools) => new ToolNode(tools.map((one) => withOffload(one, { offloader }))),
    ],
    [
      'withOffload with trace: "descriptor"',
      (offloader, tools) =>
        new ToolNode(tools.map((one) => withOffload(one, { offloader, trace: "descriptor" }))),
    ],
  ];

  it.each(nodes)("%s resolves and refuses", async (_, makeNode) => {
    const schema = z.object({
      rows: z.array(z.object({ id: z.number() }).loose()),
      title: z.string().optional(),
    });
    const { given, sendReport } = receiver(schema);
    const offloader = createOffloader({
      store: memoryStore(),
      ...referring({ send_report: true }),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", makeNode(offloader, [listRows, sendReport] as never[]))
      .addEdge(START, "tools")
      .compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke(called("list_rows", {}), thread("g"));
    const good = called("send_report", { rows: { $output: storedIn(messages).id }, title: "T" });
    expect(lastTool((await graph.invoke(good, thread("g"))).messages).text).toBe("sent");
    expect(given).toEqual([{ rows, title: "T" }]);
    const bad = called("send_report", { rows: { $output: "nothing" } });
    const refused = lastTool((await graph.invoke(bad, thread("g"))).messages);
    expect(refused).toMatchObject({
      status: "error",
      tool_call_id: `call_${calls}`,
      name: "send_report",
    });
    expect(refused.text).toContain("rows: No stored output has this id or name.");
    expect(given).toHaveLength(1);
    const unfit = called("send_report", { rows: { $output: storedIn(messages).id, jq: "{}" } });
    const failed = lastTool((await graph.invoke(unfit, thread("g"))).messages);
    expect(failed.status).toBe("error");
    expect(failed.text.length).toBeLessThan(8200);
    await offloader.close();
  });

  it("a tool that is wrapped keeps its schema, and its copy shows the wider one", () => {
    const { sendReport } = receiver();
    const offloader = createOffloader({
      store: memoryStore(),
      ...referring({ send_report: true }),
    });
    const wrapped = withOffload(sendReport, { offloader });
    expect(sendReport.schema).toBeInstanceOf(z.ZodObject);
    expect(wrapped.schema).toMatchObject({
      properties: { rows: { anyOf: [{}, { type: "object" }] } },
    });
  });
});
