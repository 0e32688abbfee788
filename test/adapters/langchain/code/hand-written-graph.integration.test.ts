import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import * as z from "zod";

import { offloadToolNode } from "../../../../src/index.js";
import { code as sandbox } from "../../../../src/plugins/code/code.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { handWrittenGraph } from "../../large-outputs.js";
import { answers, questionsOf } from "./rig.js";
import { thread, toolNamed } from "../../agents.js";

const opened = openedOffloaders();
const schema = z.object({ what: z.string() });

it("a person's answer to another call of the message never reaches a tool that code called", async () => {
  const accessLog: string[] = [];
  let isRefused = (): void => {};
  let refused = Promise.resolve();
  const remove = toolNamed(
    "remove",
    async ({ what }) => {
      // The direct call asks when the code has had its turn.
      if (what === "direct") await refused;
      accessLog.push(`${what} ${String(interrupt(what))}`);
      return "removed";
    },
    schema,
  );
  const { offloader } = opened({
    plugins: [sandbox({ tools: ["remove"], interruptOn: {} })],
    onEvent: ({ type }) => type === "tool-called" && isRefused(),
  });
  const node = offloadToolNode([remove], { offloader });
  const code = "return await tools.remove({ what: 'code' }).catch(() => 'refused')";
  const both = [
    { name: "code_tool_output", args: { code } },
    { name: "remove", args: { what: "direct" } },
  ];
  const model = scriptedModel([{ toolCalls: both }, "Done."]);
  const graph = handWrittenGraph(model, node.tools, node).compile({
    checkpointer: new MemorySaver(),
  });
  const invoke = async (input: unknown) => {
    refused = new Promise((resolve) => (isRefused = resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a graph is given, or a command.
    const given = input as { messages: BaseMessage[] };
    return await graph.invoke(given, thread("thread"));
  };
  expect(questionsOf(await invoke({ messages: [new HumanMessage("go")] }))).toEqual(["direct"]);
  const { messages } = await invoke(new Command({ resume: "yes" }));
  expect(accessLog).toEqual(["direct yes"]);
  expect(answers(messages)[0]).toContain("refused");
});
