import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { tool } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadToolNode } from "../../../../src/adapters/langchain/offload-tool-node.js";
import { codeEngine } from "../../../../src/drill-in/code/engine.js";
import type { CodeCallOptions } from "../../../../src/drill-in/code/call-options.js";
import { createOffloader, type Offloader } from "../../../../src/offload/create-offloader.js";
import { memoryStore } from "../../../../src/store/memory.js";
import { scopeOf } from "../../../../src/store/naming.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { handWrittenGraph } from "../../large-outputs.js";
import { answers, approve, questionsOf } from "./rig.js";

const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
});

interface Answered {
  readonly messages: readonly BaseMessage[];
}

/** A graph whose model makes these calls in one message, each with its code. */
function graph(codes: readonly string[], calls: CodeCallOptions = {}) {
  const deeds: string[] = [];
  const doing = (name: string) =>
    tool(
      ({ what }) => {
        deeds.push(`${name} ${what}`);
        return JSON.stringify({ did: what });
      },
      { name, description: "Does it.", schema: z.object({ what: z.string() }) },
    );
  const offloader = createOffloader({
    store: memoryStore(),
    drillIn: { code: codeEngine({ tools: ["look", "remove"], ...calls }) },
  });
  opened.push(offloader);
  const node = offloadToolNode([doing("look"), doing("remove")], { offloader });
  const model = scriptedModel([
    { toolCalls: codes.map((code) => ({ name: "code_tool_output", args: { code } })) },
    "Done.",
  ]);
  const compiled = handWrittenGraph(model, node.tools, node).compile({
    checkpointer: new MemorySaver(),
  });
  const invoke = async (input: unknown): Promise<Answered> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a graph is given, or a command.
    await compiled.invoke(input as { messages: BaseMessage[] }, {
      configurable: { thread_id: "thread" },
    });
  return {
    deeds,
    offloader,
    ask: () => invoke({ messages: [new HumanMessage("go")] }),
    answer: (decision: unknown) => invoke(new Command({ resume: { decisions: [decision] } })),
  };
}

describe("code in a hand-written graph", () => {
  it("calls the tools of the node, and gives the model what it returned", async () => {
    const { ask, deeds } = graph([
      'const all = await Promise.all(["a", "b"].map((what) => tools.look({ what }))); return all.map(({ did }) => did)',
    ]);
    const { messages } = await ask();
    expect(deeds).toEqual(["look a", "look b"]);
    expect(answers(messages)[0]).toContain('["a","b"]');
  });

  it("waits for a person, and does everything once", async () => {
    const { ask, answer, deeds, offloader } = graph(
      ['await tools.look({ what: "a" }); return await tools.remove({ what: "b" })'],
      { approvalFor: ["remove"] },
    );
    expect(questionsOf(await ask())).toMatchObject([{ actionRequests: [{ name: "remove" }] }]);
    expect(deeds).toEqual(["look a"]);
    const { messages } = await answer(approve);
    expect(deeds).toEqual(["look a", "remove b"]);
    expect(answers(messages)[0]).toContain('{"did":"b"}');
    expect((await offloader.store.list(scopeOf("thread"))).artifacts).toEqual([]);
  });
});
