import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { type ObservedOutput, offloadCallbackHandler } from "../../../src/index.js";
import { toolNamed } from "../agents.js";

const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
const observed = (): { heard: ObservedOutput[]; onOutput: (output: ObservedOutput) => void } => {
  const heard: ObservedOutput[] = [];
  return { heard, onOutput: (output) => heard.push(output) };
};

describe("the offload callback handler", () => {
  it("counts the tool messages of a command, not its JSON", async () => {
    const { heard, onOutput } = observed();
    const writes = toolNamed("writes", (_given, { toolCall }: { toolCall?: { id?: string } }) => {
      const message = new ToolMessage({ content: "pong", tool_call_id: toolCall?.id ?? "" });
      return new Command({ update: { report: rows, messages: [message] } });
    });
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
    const say = toolNamed("say", ({ text }) => text, z.object({ text: z.string() }));
    for (const text of ["a b", "a b c", "a b c d"]) await say.invoke({ text }, { callbacks });
    expect(heard.map(({ tokens, decision }) => [tokens, decision])).toEqual([
      [2, "inline"],
      [3, "inline"],
      [4, "over-threshold"],
    ]);
  });
});
