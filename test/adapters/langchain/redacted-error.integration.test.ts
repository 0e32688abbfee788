import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloader, memoryStore, offloadToolNode, withOffload } from "../../../src/index.js";
import { type Redact, redact as redactPlugin } from "../../../src/plugins/redact/redact.js";
import { toolMessages } from "../large-outputs.js";
import { agentOf, calling, thread, toolNamed } from "../agents.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");

describe("a tool's error", () => {
  const failing = toolNamed("find_row", () => {
    throw new Error(`no row for ${SECRET}`);
  });
  const calls = [{ id: "1", name: "find_row", args: {}, type: "tool_call" as const }];
  const broken: Redact = () => {
    throw new Error("broken");
  };

  it.each([
    ["redacted", redact, "no row for [gone]"],
    ["withheld where that fails", broken, "withheld"],
  ])("is %s in an agent and a node", async (_how, given, wanted) => {
    const agent = agentOf([calling("find_row")], [failing], {
      plugins: [redactPlugin(given)],
      store: memoryStore(),
    });
    const state = await agent.invoke({ messages: "Which?" }, thread("t"));
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

describe("a tool with returnDirect", () => {
  const secrets: Readonly<Record<string, (callId: string) => unknown>> = {
    "its text": () => `row of ${SECRET}`,
    "its error": () => {
      throw new Error(`no row for ${SECRET}`);
    },
    "its error as a message": (tool_call_id) =>
      new ToolMessage({ content: `no row for ${SECRET}`, status: "error", tool_call_id }),
    "its command": (tool_call_id) =>
      new Command({ update: { messages: [new ToolMessage({ content: SECRET, tool_call_id })] } }),
  };

  it.each(Object.entries(secrets))("has %s redacted, and never offloaded", async (_what, give) => {
    const pad = " and so on".repeat(3_000);
    const direct = tool(
      (_given: object, { toolCall }: { toolCall?: { id?: string } }) => {
        const given = give(toolCall?.id ?? "");
        return (typeof given === "string" ? given + pad : given) as string;
      },
      { name: "find_row", description: "Finds.", schema: z.object({}), returnDirect: true },
    );
    const offloader = createOffloader({ plugins: [redactPlugin(redact)], store: memoryStore() });
    const call = { id: "1", name: "find_row", args: {}, type: "tool_call" as const };
    const asking = { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
    const agent = agentOf([{ toolCalls: [call] }], [direct], { offloader });
    const shown = await Promise.all([
      agent.invoke({ messages: "Which?" }),
      offloadToolNode([direct], { offloader }).invoke(asking),
      ...["original" as const, "descriptor" as const].map(async (trace) => {
        const node = new ToolNode([withOffload(direct, { offloader, trace })]);
        const isThrown = _what === "its error";
        return isThrown ? undefined : ((await node.invoke(asking)) as unknown);
      }),
    ]);
    const texts = shown.filter(Boolean).map((state) => JSON.stringify(state));
    expect(texts).toHaveLength(_what === "its error" ? 2 : 4);
    for (const text of texts) {
      expect(text).toContain("[gone]");
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("offloaded");
    }
  });
});
