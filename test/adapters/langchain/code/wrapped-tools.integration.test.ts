import type { DynamicStructuredTool } from "@langchain/core/tools";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadFrom } from "../../../../src/adapters/langchain/offload-from.js";
import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { playedEngine } from "./played-engine.js";
import { answers, codeAgent } from "./rig.js";

const opened = openedOffloaders();

function toolThat(name: string, give: (config: unknown) => unknown): DynamicStructuredTool {
  return tool((_, config) => give(config) as string, {
    name,
    description: "Gives something.",
    schema: z.object({}),
  });
}

/** An async iterable that is no generator, as a database's cursor is. */
const cursor = (length: number): AsyncIterable<object> => ({
  async *[Symbol.asyncIterator]() {
    for (let id = 0; id < length; id += 1) yield { id };
  },
});

describe.each(["played", "QuickJS"] as const)("what a tool gives to code (%s)", (engine) => {
  const answerOf = async (
    code: string,
    give: (config: unknown) => unknown,
  ): Promise<string | undefined> => {
    const one = toolThat("give", give);
    const { ask } = codeAgent(code, { engine, tools: [one], calls: { tools: ["give"] } });
    return answers((await ask()).messages)[0];
  };

  it("is the data of a stream, as in a direct call", async () => {
    const text = await answerOf("return await tools.give({})", () => cursor(3));
    expect(text).toContain('[{"id":0},{"id":1},{"id":2}]');
  });

  it("may be a descriptor of what the tool has offloaded by hand", async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id }));
    const text = await answerOf(
      "return await tools.give({})",
      async (config) => `Report: ${await offloadFrom(config)(rows, { form: "bare" })}`,
    );
    expect(text).toContain('Report: {"offloaded":true');
  });
});

it("code calls the tools of its own agent, where several share a middleware", async () => {
  const { offloader } = opened({
    plugins: [playedEngine({ tools: ["give"], interruptOn: {} })],
  });
  const middleware = offloadMiddleware({ offloader });
  const run = async (user: string): Promise<string | undefined> => {
    const code = { code: "return await tools.give({})" };
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [{ name: "code_tool_output", args: code, id: "call" }] }]),
      tools: [toolThat("give", () => ({ of: user }))],
      middleware: [middleware],
    });
    const thread = { configurable: { thread_id: user } };
    return answers((await agent.invoke({ messages: "go" }, thread)).messages)[0];
  };
  const found = await Promise.all(["ada", "bob"].map((user) => run(user)));
  expect(found[0]).toContain('{"of":"ada"}');
  expect(found[1]).toContain('{"of":"bob"}');
});
