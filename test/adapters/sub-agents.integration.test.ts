import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";

import { references } from "../../src/adapters/langchain/references/references.js";
import { createOffloader, memoryStore, offloadMiddleware, sessionKeyOf } from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { countRome, question, rows, rowsTool, toolMessages } from "./large-outputs.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const offloader = sharedOffloader();

const callRows: ScriptedTurn = calling("list_rows");
const delegate: ScriptedTurn = calling("delegate");
const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";

/** Counts what the descriptor names that came as the last tool message's text. */
const countMarked: ScriptedTurn = (messages) => {
  const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(lastText(messages))?.[0] ?? "none";
  const args = { id, filter: 'map(select(.city == "Rome")) | length', slurp: true };
  return calling("jq_tool_output", args);
};

/** Runs an agent that delegates to one with `inner` turns, and then drills in by what that says. */
async function delegated(
  thread: string,
  inner: readonly ScriptedTurn[],
  { ownThread, ownMiddleware = true }: { ownThread?: string; ownMiddleware?: boolean } = {},
): Promise<string[]> {
  const sub = createAgent({
    model: scriptedModel(inner),
    tools: [rowsTool()],
    middleware: ownMiddleware ? [offloadMiddleware({ offloader })] : [],
  });
  const run = toolNamed("delegate", async () => {
    const configurable = { thread_id: ownThread ?? thread };
    return lastText((await sub.invoke(question, { configurable })).messages);
  });
  const agent = agentOf(
    [delegate, countMarked],
    [run],
    { offloader },
    { checkpointer: new MemorySaver() },
  );
  const { messages } = await agent.invoke(question, { configurable: { thread_id: thread } });
  return toolMessages(messages).map(({ text }) => text);
}

it("a sub-agent with a thread of its own drills in itself, and its artifacts are its own", async () => {
  const [answer] = await delegated("own-inner", [callRows, countRome, lastText], {
    ownThread: "own-sub",
  });
  expect(answer).toMatch(/^400\n/);
  const stored = async (thread: string): Promise<number> =>
    (await offloader.store.list(sessionKeyOf(thread))).artifacts.length;
  expect([await stored("own-inner"), await stored("own-sub")]).toEqual([0, 1]);
});

it("a parent without parameters for references is offered none, whatever a sub-agent of its thread has", async () => {
  const own = createOffloader({ store: memoryStore(), plugins: [references()] });
  onTestFinished(() => own.close());
  const save = toolNamed("save", () => "saved", z.object({ rows: z.array(z.unknown()) }));
  const sub = agentOf(["done"], [save], { offloader: own });
  const run = toolNamed("delegate", async () => {
    await sub.invoke(question, { configurable: { thread_id: "parent" } });
    return JSON.stringify(rows);
  });
  const agent = agentOf([delegate], [run], { offloader: own });
  const { messages } = await agent.invoke(question, { configurable: { thread_id: "parent" } });
  const [descriptor = ""] = toolMessages(messages).map(({ text }) => text);
  expect(descriptor).toContain('"offloaded":true');
  expect(descriptor).not.toContain("$output");
});

it("a sub-agent without the middleware sees the whole output, and its parent gets a descriptor of what it passes on", async () => {
  const [marker, answer] = await delegated("none", [callRows, lastText], {
    ownMiddleware: false,
  });
  expect(marker).toContain('"offloaded":true');
  expect(answer).toMatch(/^400\n/);
});
