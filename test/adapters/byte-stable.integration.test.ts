import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent } from "langchain";
import { afterAll, expect, it } from "vitest";

import { humanMessages } from "../../src/adapters/langchain/human-messages/index.js";
import { references } from "../../src/adapters/langchain/references/index.js";
import { createOffloader, fileStore, offloadFrom, offloadMiddleware } from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { artifactsOf, rows, rowsTool } from "./large-outputs.js";
import { calling, toolNamed } from "./agents.js";

const folder = mkdtempSync(join(tmpdir(), "offload-stable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a provider is sent: for a prompt cache all of it counts. */
interface Request {
  readonly tools: string;
  readonly messages: readonly string[];
}

function sent(message: BaseMessage): string {
  const { type, content, name } = message;
  const calls = AIMessage.isInstance(message) ? message.tool_calls : undefined;
  const answer = ToolMessage.isInstance(message)
    ? [message.tool_call_id, message.status, message.artifact]
    : undefined;
  return JSON.stringify([type, content, name, calls, answer]);
}

const read =
  (which: number): ScriptedTurn =>
  (messages) => {
    const id = artifactsOf(messages)[which]?.id;
    return calling("read_tool_output", { id, start_line: 2, end_line: 4 });
  };

/** An agent of its own process, as far as memory goes: only the folder is shared. */
function freshAgent(requests: Request[]): {
  send(text: string): Promise<void>;
  close(): Promise<void>;
} {
  const offloader = createOffloader({
    store: fileStore({ directory: join(folder, "store") }),
    plugins: [humanMessages({ threshold: { tokens: 2000 } }), references()],
  });
  const model = scriptedModel([
    {
      toolCalls: [
        { name: "list_rows", args: {} },
        { name: "list_rows", args: { only: "Rome" } },
      ],
    },
    read(0),
    calling("by_hand"),
    read(2),
  ]);
  const bind = model.bindTools?.bind(model);
  let tools = "";
  model.bindTools = (given, options) => {
    tools = JSON.stringify(
      (given as StructuredToolInterface[]).map(({ name, description, schema }) => [
        name,
        description,
        toJsonSchema(schema),
      ]),
    );
    return bind?.(given, options) ?? model;
  };
  const byHand = toolNamed(
    "by_hand",
    async (_, config) => await offloadFrom(config)(rows.slice(0, 300), { title: "A part" }),
  );
  const agent = createAgent({
    model,
    systemPrompt: "Be brief.",
    tools: [rowsTool(), byHand],
    middleware: [offloadMiddleware({ offloader })],
    checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints")),
  });
  const generate = model._generate.bind(model);
  model._generate = async (messages, ...rest) => {
    requests.push({ tools, messages: messages.map((message) => sent(message)) });
    return await generate(messages, ...rest);
  };
  return {
    async send(text) {
      const thread = { configurable: { thread_id: "t" } };
      await agent.invoke({ messages: [new HumanMessage(text)] }, thread);
    },
    close: () => offloader.close(),
  };
}

const long = (about: string): string =>
  `Look at this ${about}.\n${JSON.stringify(rows.map((row) => ({ ...row, about })))}\nWhat is it?`;

it("what a model is sent in one call is the beginning of what it is sent in the next, byte for byte, over turns and processes", async () => {
  const requests: Request[] = [];
  const first = freshAgent(requests);
  await first.send(long("week"));
  await first.send("Go on.");
  await first.send("Go on.");
  await first.close();
  const second = freshAgent(requests);
  await second.send("Go on.");
  await second.send(long("month"));
  await second.send("Go on.");
  await second.close();

  expect(requests).toHaveLength(6 * 5);
  expect(new Set(requests.map(({ tools }) => tools)).size).toBe(1);
  expect(requests[0]?.tools).toContain("read_tool_output");
  for (const [index, { messages }] of requests.slice(1).entries()) {
    const before = requests[index]?.messages ?? [];
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.length).toBeGreaterThan(before.length);
  }
  const all = requests.at(-1)?.messages ?? [];
  expect(all.filter((message) => message.includes('offloaded\\":true'))).toHaveLength(2 + 6 * 3);
  expect(all.join("").length).toBeLessThan(200_000);
}, 120_000);
