import { createAgent } from "langchain";
import { expect, it } from "vitest";

import { offloadFrom, offloadMiddleware } from "../../../../src/index.js";
import { code } from "../../../../src/plugins/code/code.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { answers, codeAgent, toolThat } from "./rig.js";

const opened = openedOffloaders();
const GIVE = "return await tools.give({})";

/** An async iterable that is no generator, as a database's cursor is. */
const cursor = (length: number): AsyncIterable<object> => ({
  async *[Symbol.asyncIterator]() {
    for (let id = 0; id < length; id += 1) yield { id };
  },
});
const rows = Array.from({ length: 3000 }, (_, id) => ({ id }));

it.each([
  [
    "the data of a stream, as in a direct call",
    toolThat("give", () => cursor(3)),
    '[{"id":0},{"id":1},{"id":2}]',
  ],
  [
    "a descriptor of what the tool has offloaded by hand",
    toolThat(
      "give",
      async (_, config) => `Report: ${await offloadFrom(config)(rows, { form: "bare" })}`,
    ),
    'Report: {"offloaded":true',
  ],
])("a tool may give code %s", async (_, one, text) => {
  const { answer } = codeAgent(GIVE, { tools: [one], calls: { tools: ["give"] } });
  expect(await answer()).toContain(text);
});

it("code calls the tools of its own agent, where several share a middleware", async () => {
  const { offloader } = opened({ plugins: [code({ tools: ["give"], interruptOn: {} })] });
  const middleware = offloadMiddleware({ offloader });
  const run = async (user: string): Promise<string | undefined> => {
    const call = { name: "code_tool_output", args: { code: GIVE }, id: "call" };
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [call] }]),
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
