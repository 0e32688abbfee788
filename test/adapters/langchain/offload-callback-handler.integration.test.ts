import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  type ObservedOutput,
  offloadCallbackHandler,
} from "../../../src/adapters/langchain/offload-callback-handler.js";
import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";

const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
const large = JSON.stringify(rows);
const listRows = tool(() => large, { name: "list_rows", description: "All rows." });
const ping = tool(() => "pong", { name: "ping", description: "Says pong." });
const failing = tool(
  (): string => {
    throw new Error("no connection");
  },
  { name: "failing", description: "Fails." },
);
const script = ["list_rows", "ping", "failing"].map((name) => ({
  toolCalls: [{ name, args: {}, id: `call_${name}` }],
}));
const ask = { messages: [new HumanMessage("go")] };

const observed = (): { heard: ObservedOutput[]; onOutput: (output: ObservedOutput) => void } => {
  const heard: ObservedOutput[] = [];
  return { heard, onOutput: (output) => heard.push(output) };
};

describe("the offload callback handler", () => {
  it("counts what tools returned, and says what is over the threshold", async () => {
    const { heard, onOutput } = observed();
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [listRows, ping, failing],
      middleware: [offloadMiddleware({ store: memoryStore() })],
    });
    const { messages } = await agent.invoke(ask, {
      configurable: { thread_id: "t" },
      callbacks: [offloadCallbackHandler({ onOutput })],
    });
    expect(messages.find((message) => message.name === "list_rows")?.text).toContain("offloaded");
    expect(heard).toMatchObject([
      {
        toolName: "list_rows",
        toolCallId: "call_list_rows",
        characters: large.length,
        decision: "over-threshold",
      },
      { toolName: "ping", characters: 4, tokens: 1, tokensExact: true, decision: "inline" },
    ]);
    expect(heard[0]?.tokens).toBeGreaterThan(1600);
  });

  it("counts the tool messages of a command, not its JSON", async () => {
    const { heard, onOutput } = observed();
    const writes = tool(
      (_given, { toolCall }: { toolCall?: { id?: string } }) => {
        const message = new ToolMessage({ content: "pong", tool_call_id: toolCall?.id ?? "" });
        return new Command({ update: { report: rows, messages: [message] } });
      },
      { name: "writes", description: "Writes.", schema: z.object({}) },
    );
    const call = { type: "tool_call" as const, name: "writes", id: "w", args: {} };
    const callbacks = [offloadCallbackHandler({ onOutput })];
    await writes.invoke(call, { callbacks, toolCall: call });
    expect(heard).toMatchObject([{ toolName: "writes", toolCallId: "w", tokens: 1 }]);
  });

  it("takes exactly the threshold for inline, with the tokenizer that it is given", async () => {
    const { heard, onOutput } = observed();
    const words = (text: string): number => text.split(" ").length;
    const callbacks = [
      offloadCallbackHandler({ threshold: { tokens: 3 }, tokenizer: words, onOutput }),
    ];
    const say = tool(({ text }) => text, {
      name: "say",
      description: "Says it.",
      schema: z.object({ text: z.string() }),
    });
    for (const text of ["a b", "a b c", "a b c d"]) await say.invoke({ text }, { callbacks });
    expect(heard.map(({ tokens, decision }) => [tokens, decision])).toEqual([
      [2, "inline"],
      [3, "inline"],
      [4, "over-threshold"],
    ]);
  });
});
