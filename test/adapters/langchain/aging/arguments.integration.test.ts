import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { withArguments } from "../../../../src/adapters/langchain/aging/arguments/with-arguments.js";
import { memoryStore } from "../../../../src/store/memory.js";
import type { ScriptedReply, ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { aged, breaksIn, pageOf, rigOf, soon, toolContents } from "./rig.js";

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
  it("are replaced in all four places, and nothing else is", () => {
    const message = new AIMessage({
      id: "answer",
      content: [
        { type: "text", text: "I write it." },
        { type: "tool_use", id: "one", name: "write_file", input: args },
        { type: "tool_use", id: "two", name: "write_file", input: { path: "b.txt" } },
      ],
      tool_calls: [call, { ...call, id: "two", args: { path: "b.txt" } }],
      additional_kwargs: { tool_calls: [raw] as never },
      response_metadata: {
        output: [{ type: "function_call", call_id: "one", arguments: JSON.stringify(args) }],
        usage: { output_tokens_details: { reasoning_tokens: 7 } },
      },
    });
    const shown = withArguments(message, [stub]);
    const kept = JSON.parse(JSON.stringify(message).replaceAll(/first line.*?(?=\\*")/g, "[aged]"));
    expect(JSON.parse(JSON.stringify(shown))).toEqual(kept);
    expect(shown).toBeInstanceOf(AIMessage);
    expect(shown?.tool_calls?.[1]?.args).toEqual({ path: "b.txt" });
  });

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

const readsFirst = (messages: readonly BaseMessage[]): ScriptedReply => ({
  toolCalls: [
    {
      name: "read_tool_output",
      args: { id: /"([0-9A-Z]{26})"/.exec(firstContent(messages))?.[1] ?? "none" },
    },
  ],
});

describe("arguments that age", () => {
  it.each(["mark", "replace"] as const)(
    "leave with their results and come back, in mode %s",
    async (mode) => {
      const { model, send, events } = rigOf([...eight, readsFirst, "Done."], {
        tools: [writeFile],
        aging: { ...soon, mode, toolArguments: { write_file: ["content"] } },
      });
      const messages = await send("Write.");
      const shown = firstContent(model.requests.at(-1));
      expect(shown).toMatch(
        /^\[aged: (?:write_file → )?"page.*"; 600 tokens\. read_tool_output\("\w+"\)\]$/,
      );
      expect(firstContent(messages)).toBe(mode === "mark" ? pageOf(0) : shown);
      expect(toolContents(messages).at(-1)).toBe(`The whole output, 30 lines:\n${pageOf(0)}`);
      expect(breaksIn(model.requests)).toBe(aged(events).length);
      expect(aged(events).length).toBeGreaterThan(0);
    },
  );

  it("come back from the state when the store has lost them", async () => {
    const store = memoryStore();
    const { send } = rigOf(
      [
        ...eight,
        async (messages) => {
          await store.sweep(Infinity);
          return readsFirst(messages);
        },
      ],
      { store, tools: [writeFile], aging: { ...soon, toolArguments: { write_file: ["content"] } } },
    );
    expect(toolContents(await send("Write.")).at(-1)).toContain(pageOf(0));
  });

  it("stay where nobody asked for it", async () => {
    const { model, send } = rigOf(eight, { tools: [writeFile] });
    await send("Write.");
    expect(firstContent(model.requests.at(-1))).toBe(pageOf(0));
  });
});
