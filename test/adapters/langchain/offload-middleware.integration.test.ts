import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, tool } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";

const folder = mkdtempSync(join(tmpdir(), "offload-agent-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = fileStore({ directory: folder });

const rows = Array.from({ length: 800 }, (_, id) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  size: id * 3,
}));
const listRows = tool(() => JSON.stringify(rows), { name: "list_rows", description: "All rows." });
const callListRows: ScriptedTurn = { toolCalls: [{ name: "list_rows", args: {} }] };

const agentWith = (
  turns: readonly ScriptedTurn[],
  tools: Parameters<typeof createAgent>[0]["tools"],
  options: OffloadOptions = {},
): ReturnType<typeof createAgent> =>
  createAgent({
    model: scriptedModel(turns),
    tools: tools ?? [],
    middleware: [offloadMiddleware({ store, ...options })],
  });

const ask = { messages: [new HumanMessage("go")] };
const toolMessages = (messages: readonly BaseMessage[]): ToolMessage[] =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message));
const artifactOf = (message: ToolMessage | undefined): StoredArtifact => {
  if (message?.artifact === undefined) throw new Error("the message carries no artifact");
  return message.artifact as StoredArtifact;
};
describe("an agent with a large tool output", () => {
  it("keeps parallel calls apart", async () => {
    const numbered = tool(({ n }) => JSON.stringify(rows.map((row) => ({ ...row, n }))), {
      name: "numbered",
      description: "Rows with a number.",
      schema: z.object({ n: z.number() }),
    });
    const toolCalls = Array.from({ length: 60 }, (_, n) => ({
      name: "numbered",
      args: { n },
      id: `call ${n}`,
    }));
    const { messages } = await agentWith([{ toolCalls }], [numbered]).invoke(ask);
    for (const [n, message] of toolMessages(messages).entries()) {
      const artifact = artifactOf(message);
      expect(message.tool_call_id).toBe(`call ${n}`);
      const lines = readFileSync(artifact.filePath ?? "", "utf8")
        .trimEnd()
        .split("\n")
        .slice(1);
      expect(lines.every((line) => JSON.parse(line).n === n)).toBe(true);
    }
  });
});

describe("what a tool may return", () => {
  const run = async (
    answer: (config: { toolCallId?: string }) => unknown,
  ): Promise<BaseMessage[]> => {
    const subject = tool(
      ((_: unknown, config: { toolCallId?: string }) => answer(config)) as unknown as () => string,
      {
        name: "subject",
        description: "The tool under test.",
      },
    );
    const { messages } = await agentWith(
      [{ toolCalls: [{ name: "subject", args: {} }] }],
      [subject],
    ).invoke(ask);
    return messages;
  };

  it("a message of its own, which keeps its id and metadata", async () => {
    const [message] = toolMessages(
      await run(
        ({ toolCallId = "" }) =>
          new ToolMessage({
            content: JSON.stringify(rows),
            tool_call_id: toolCallId,
            id: "m-1",
            name: "subject",
            additional_kwargs: { a: 1 },
            response_metadata: { b: 2 },
            artifact: rows,
          }),
      ),
    );
    expect(message).toMatchObject({
      id: "m-1",
      name: "subject",
      additional_kwargs: { a: 1 },
      response_metadata: { b: 2 },
    });
    expect(message?.artifact).toMatchObject({ recordCount: 800 });
    expect(JSON.stringify(message)).not.toContain('Oslo\\",\\"size\\":2394');
  });
});

describe("beside other middleware", () => {
  it("inner middleware still changes the raw output", async () => {
    const redact = createMiddleware({
      name: "redact",
      async wrapToolCall(request, handler) {
        const message = (await handler(request)) as ToolMessage;
        const content = message.text.replaceAll("Rome", "****");
        return new ToolMessage({ content, tool_call_id: message.tool_call_id, name: "list_rows" });
      },
    });
    const agent = createAgent({
      model: scriptedModel([callListRows]),
      tools: [listRows],
      middleware: [offloadMiddleware({ store }), redact],
    });
    const [message] = toolMessages((await agent.invoke(ask)).messages);
    const { filePath = "" } = artifactOf(message);
    expect(readFileSync(filePath, "utf8")).not.toContain("Rome");
  });
});
