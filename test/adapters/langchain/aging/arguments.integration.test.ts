import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { withArguments } from "../../../../src/adapters/langchain/aging/arguments/with-arguments.js";
import type { ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { pageOf, rigOf } from "./rig.js";

const text = `first line\n${"a text that was written. ".repeat(100)}`;
const args = { path: "a.txt", content: text };
const call = { type: "tool_call" as const, id: "one", name: "write_file", args };
const raw = {
  id: "one",
  type: "function",
  function: { name: "write_file", arguments: JSON.stringify(args) },
};
const stub = { callId: "one", parameter: "content", stub: "[aged]" };

describe("the arguments of a call", () => {
  it.each([
    ["a thought", { content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] }],
    ["a signature of a call", { additional_kwargs: { thought_signatures: { one: "c2ln" } } }],
    [
      "a hidden thought",
      { response_metadata: { output: [{ type: "reasoning", encrypted_content: "x" }] } },
    ],
    [
      "pieces",
      {
        content: [
          { type: "tool_use", id: "one", name: "w", input: "" },
          { type: "input_json_delta", input: "{" },
        ],
      },
    ],
    [
      "JSON that is none",
      { additional_kwargs: { tool_calls: [{ ...raw, function: { arguments: "{" } }] } },
    ],
    [
      "a place that nobody knows",
      { additional_kwargs: { provider: { raw: JSON.stringify(args) } } },
    ],
  ])("stay where %s stands", (_, fields) => {
    const message = new AIMessage({ content: "", tool_calls: [call], ...(fields as object) });
    expect(withArguments(message, [stub])).toBeUndefined();
  });
});

const writeFile = tool(() => "written", {
  name: "write_file",
  description: "Writes.",
  schema: z.object({ path: z.string(), content: z.string() }),
});

const writes = (number: number): ScriptedTurn => ({
  toolCalls: [
    {
      name: "write_file",
      args: { path: `${number}.txt`, content: pageOf(number) },
      id: `write_${number}`,
    },
  ],
});
const eight = Array.from({ length: 8 }, (_, number) => writes(number));

/** What stands for the content of the first file. */
function firstContent(messages: readonly BaseMessage[] | undefined): string {
  const message = messages?.find((one) => AIMessage.isInstance(one));
  return String(AIMessage.isInstance(message) ? message.tool_calls?.[0]?.args["content"] : "");
}

describe("arguments that age", () => {
  it("stay where nobody asked for it", async () => {
    const { model, send } = rigOf(eight, { tools: [writeFile] });
    await send("Write.");
    expect(firstContent(model.requests.at(-1))).toBe(pageOf(0));
  });
});
