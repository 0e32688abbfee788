import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";

const folder = mkdtempSync(join(tmpdir(), "offload-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = fileStore({ directory: folder });

const rows = Array.from({ length: 800 }, (_, id) => ({ id, city: "Rome" }));
const listRows = tool(() => JSON.stringify(rows), { name: "list_rows", description: "All rows." });
const ask = { messages: [new HumanMessage("go")] };

/** An agent that lists rows once, and from then on counts what `path` names. */
function agentOver(
  checkpointer: MemorySaver,
  seen: { path: string },
): ReturnType<typeof createAgent> {
  const turns: ScriptedTurn[] = [
    () =>
      seen.path === ""
        ? { toolCalls: [{ name: "list_rows", args: {} }] }
        : {
            toolCalls: [
              { name: "jq_tool_output", args: { id: seen.path, filter: "length", slurp: true } },
            ],
          },
    (messages) => {
      const text = messages.at(-1)?.text ?? "";
      if (seen.path !== "") return text;
      seen.path = (JSON.parse(text) as { file_path: string }).file_path;
      return "stored";
    },
  ];
  return createAgent({
    model: scriptedModel(turns),
    tools: [listRows],
    middleware: [offloadMiddleware({ store })],
    checkpointer,
  });
}

describe("what a conversation keeps of its outputs", () => {
  it("is checkpointed and never part of the agent's output", async () => {
    const agent = agentOver(new MemorySaver(), { path: "" });
    const thread = { configurable: { thread_id: "t-1" } };
    const output = await agent.invoke(ask, thread);
    expect(Object.keys(output)).toEqual(["messages"]);
    const { values } = await agent.graph.getState(thread);
    const [id, sessionKey] =
      Object.entries((values as { _offloads: Record<string, string> })._offloads)[0] ?? [];
    expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(sessionKey).toMatch(/^[0-9a-f]{64}$/);
  });

  it("cannot be written by whoever calls the agent", async () => {
    const agent = agentOver(new MemorySaver(), { path: "" });
    const thread = { configurable: { thread_id: "t-forged" } };
    await agent.invoke(
      { ...ask, _offloads: { "01ARZ3NDEKTSV4RRFFQ69G5FAV": "0".repeat(64) } },
      thread,
    );
    const { values } = await agent.graph.getState(thread);
    expect((values as { _offloads: object })._offloads).not.toHaveProperty(
      "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    );
  });
});

describe("a result that is noted", () => {
  it("is still a message for middleware around this one, and is streamed once", async () => {
    const seen: unknown[] = [];
    const outer = createMiddleware({
      name: "outer",
      async wrapToolCall(request, handler) {
        const result = await handler(request);
        seen.push(result);
        return result;
      },
    });
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [{ name: "list_rows", args: {} }] }]),
      tools: [listRows],
      middleware: [outer, offloadMiddleware({ store })],
    });
    const streamed: ToolMessage[] = [];
    for await (const [message] of await agent.stream(ask, { streamMode: "messages" })) {
      if (ToolMessage.isInstance(message)) streamed.push(message);
    }
    expect(seen.every((result) => ToolMessage.isInstance(result))).toBe(true);
    expect(streamed).toHaveLength(1);
    expect(streamed[0]?.text).toContain('"offloaded":true');
  });
});
