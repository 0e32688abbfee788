import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { expect, it } from "vitest";

import { createOffloader, memoryStore, offloadNode, offloadToolNode } from "../../../src/index.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { toolMessages } from "../large-outputs.js";
import { agentOf, toolNamed } from "../agents.js";

const offloader = createOffloader({
  store: memoryStore(),
  exclude: ["private"],
  perTool: { open: { plugins: { redact: false } } },
  plugins: [redact((text) => text.replaceAll("secret", "[gone]"))],
});
const large = "a secret line\n".repeat(4_000);

/** A tool that writes another name into its answer than it is called by. */
function answering(
  name: string,
  written: string,
  isCommand: boolean,
  status: "success" | "error" = "success",
) {
  return toolNamed(name, (_given: object, { toolCall }: { toolCall?: { id?: string } }) => {
    const fields = { content: large, tool_call_id: toolCall?.id ?? "", name: written, status };
    const messages = [new ToolMessage(fields)];
    return isCommand ? new Command({ update: { messages } }) : messages[0];
  });
}

it.each([true, false])(
  "goes by the tool that was called, whatever name its answer has (in a command: %s)",
  async (isCommand) => {
    const tools = [
      answering("private", "result", isCommand),
      answering("result", "private", isCommand),
      answering("exempt", "open", isCommand, "error"),
      answering("plain", "read_tool_output", isCommand),
    ];
    const tool_calls = tools.map(({ name }) => ({ name, args: {}, id: name }));
    const asking = { messages: [new AIMessage({ content: "", tool_calls })] };
    const agent = agentOf([{ toolCalls: tool_calls }], tools, { offloader });
    const node = offloadToolNode(tools, { offloader });
    const update = async () => ({
      messages: await Promise.all(
        tools.map(async (own) => {
          const call = { type: "tool_call" as const, name: own.name, args: {}, id: own.name };
          return (await own.invoke(call, { toolCall: call })) as never;
        }),
      ),
    });
    const written = offloadNode(
      async () => (isCommand ? (await update()).messages : await update()),
      { offloader },
    );
    const results: unknown[] = [
      await agent.invoke({ messages: "Go." }),
      await node.invoke(asking),
      await Reflect.apply(written, undefined, [asking]),
    ];
    for (const result of results) {
      const updates = [result].flat() as { messages?: never[]; update?: { messages: never[] } }[];
      const messages = updates.flatMap((one) => toolMessages((one.update ?? one).messages ?? []));
      const texts = new Map(messages.map((one) => [one.tool_call_id, one.text]));
      expect(texts.get("private")).toBe(large.replaceAll("secret", "[gone]"));
      expect(texts.get("result")).toMatch(/^\{"offloaded":true/);
      expect(texts.get("exempt")).not.toContain("secret");
      expect(texts.get("plain")).toMatch(/^\{"offloaded":true/);
      expect(texts.size).toBe(4);
    }
  },
);
