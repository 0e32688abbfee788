import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../../src/adapters/langchain/offload-tool-node.js";
import type { Redact } from "../../../src/plugins/redact/redact.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { toolMessages } from "../large-outputs.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");

describe("a tool's error", () => {
  const failing = tool(
    () => {
      throw new Error(`no row for ${SECRET}`);
    },
    { name: "find_row", description: "Finds.", schema: z.object({}) },
  );
  const calls = [{ id: "1", name: "find_row", args: {}, type: "tool_call" as const }];
  const broken: Redact = () => {
    throw new Error("broken");
  };

  it.each([
    ["redacted", redact, "no row for [gone]"],
    ["withheld where that fails", broken, "withheld"],
  ])("is %s in an agent and a node", async (_how, given, wanted) => {
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [{ name: "find_row", args: {} }] }]),
      tools: [failing],
      middleware: [offloadMiddleware({ plugins: [redactPlugin(given)], store: memoryStore() })],
    });
    const state = await agent.invoke({ messages: "Which?" }, { configurable: { thread_id: "t" } });
    const node = offloadToolNode([failing], {
      plugins: [redactPlugin(given)],
      store: memoryStore(),
    });
    const message = new AIMessage({ content: "", tool_calls: calls });
    const answered: { messages: BaseMessage[] } = await node.invoke({ messages: [message] });
    for (const { messages } of [state, answered]) {
      const [error] = toolMessages(messages);
      expect(error?.status).toBe("error");
      expect(error?.text).toContain(wanted);
      expect(error?.text).not.toContain(SECRET);
    }
  });
});
