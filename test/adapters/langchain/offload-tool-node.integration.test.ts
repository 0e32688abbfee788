import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";

import { createDrillInTools, memoryStore, offloadToolNode } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { countRome, handWrittenGraph, question, rowsTool, toolMessages } from "../large-outputs.js";
import { calling, thread, toolNamed } from "../agents.js";
import { sharedOffloader } from "../../opened-offloaders.js";

const store = memoryStore();
const offloader = sharedOffloader({ store });

const callRows = calling("list_rows");

it("a hand-written graph treats errors as a ToolNode does", async () => {
  const failing = toolNamed("list_rows", () => {
    throw new Error("no such table");
  });
  const answers = await Promise.all(
    [new ToolNode([failing]), offloadToolNode([failing], { offloader })].map(async (node) => {
      const calls = { toolCalls: [...callRows.toolCalls, { name: "unknown", args: {} }] };
      const graph = handWrittenGraph(scriptedModel([calls]), [], node).compile();
      return toolMessages((await graph.invoke(question)).messages).map((message) => [
        message.status,
        message.text,
      ]);
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  const given = new ToolNode([failing], { handleToolErrors: false });
  const strict = offloadToolNode(given, { offloader });
  const graph = handWrittenGraph(scriptedModel([callRows]), [], strict).compile();
  await expect(graph.invoke(question)).rejects.toThrow("no such table");
});

describe("a tool node", () => {
  it("works in createReactAgent, which binds the drill-in tools from it", async () => {
    const model = scriptedModel([callRows, countRome]);
    const node = offloadToolNode([rowsTool()], { offloader });
    const agent = createReactAgent({ llm: model, tools: node });
    const { messages } = await agent.invoke(question, thread("t-react"));
    expect(model.boundTools).toContain("jq_tool_output");
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });

  it("has no tool twice when the drill-in tools were given with the others", () => {
    const node = offloadToolNode([rowsTool(), ...createDrillInTools(offloader)], { offloader });
    const names = node.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("tells the nearest name of an option that is unknown, its own among them", () => {
    expect(() => offloadToolNode([], { offloader, exclud: [] } as never)).toThrow(
      'did you mean "exclude"?',
    );
  });

  it("takes an offloader or its options, not both", () => {
    expect(() => offloadToolNode([], { offloader, store } as never)).toThrow(
      "With `offloader`, these options have no effect here: store.",
    );
    expect(offloadToolNode([], { store }).offloader.store).toBe(store);
    expect(() => offloadToolNode([], { threshold: { tokens: -1 } })).toThrow("tokens");
  });
});
