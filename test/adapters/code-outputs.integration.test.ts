import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import { code as sandbox } from "../../src/plugins/code/code.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import type { StoredArtifact } from "../../src/index.js";
import { rows, rowsTool, toolMessages } from "./large-outputs.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const offloader = sharedOffloader({
  plugins: [sandbox()],
  drillIn: { maxAnswerTokens: 1_000 },
});

const people = Array.from({ length: 400 }, (_, id) => ({ id, name: `Person ${id}`, row: id * 2 }));
const peopleTool = toolNamed("list_people", () => JSON.stringify(people));

function agent(turns: readonly ScriptedTurn[], checkpointer = new MemorySaver()) {
  return agentOf(turns, [rowsTool(), peopleTool], { offloader }, { checkpointer });
}

/** What the messages of tools carry, in their order. */
const storedIn = (messages: readonly BaseMessage[]): readonly StoredArtifact[] =>
  toolMessages(messages).flatMap(({ artifact = [] }) => artifact as StoredArtifact[]);
const idsIn = (messages: readonly BaseMessage[]): string[] =>
  storedIn(messages).map(({ id }) => id);

const callBoth: ScriptedTurn = {
  toolCalls: [
    { name: "list_rows", args: {} },
    { name: "list_people", args: {} },
  ],
};
const code = (write: (ids: readonly string[]) => string): ScriptedTurn => {
  return (messages) => ({
    toolCalls: [{ name: "code_tool_output", args: { code: write(idsIn(messages)) }, id: "code-1" }],
  });
};
const joined = code(
  ([one, other]) => `
    const names = new Map();
    for (const p of outputs.open("${other}", ["row", "name"])) names.set(p.row, p.name);
    const found = [];
    for (const r of outputs.open("${one}")) if (names.has(r.number)) found.push({ ...r, name: names.get(r.number) });
    outputs.save("named rows", found.slice(0, 100));
    return found;`,
);
const jqOnLast: ScriptedTurn = (messages) =>
  calling("jq_tool_output", { id: idsIn(messages).at(-1), filter: "length", slurp: true });

describe("code over the outputs of a thread", () => {
  it("joins two, saves one, and what was too long to return is read by the next call", async () => {
    const thread = { configurable: { thread_id: "code-1" } };
    const { messages } = await agent([callBoth, joined, jqOnLast]).invoke(
      { messages: "Go" },
      thread,
    );
    const [, , answer, counted] = toolMessages(messages);
    const [saved, returned] = storedIn(messages).slice(2);
    expect(answer?.status).not.toBe("error");
    expect(answer?.text).toMatch(/^Too long for this answer and stored as .*\n\{"offloaded":true/);
    expect(answer?.text).toContain(`Saved "named rows" as ${saved?.id}.`);
    const joinedCount = rows.filter(({ number }) => number % 2 === 0 && number < 800).length;
    expect(counted?.text).toMatch(new RegExp(`^${joinedCount}\n`));
    expect(returned).toMatchObject({
      toolName: "code_tool_output",
      derivedFrom: idsIn(messages).slice(0, 2).toReversed(),
      sessionKey: saved?.sessionKey,
    });
    expect(answer).not.toHaveProperty("artifact.0.recipes");
  });

  it("is within reach of a copy of the thread, and in no message whole", async () => {
    const saver = new MemorySaver();
    const thread = { configurable: { thread_id: "code-2" } };
    const first = await agent([callBoth, joined], saver).invoke({ messages: "Go" }, thread);
    const id = idsIn(first.messages).at(-1);
    const jq: ScriptedTurn = calling("jq_tool_output", { id, filter: "length", slurp: true });
    const copied = agent([jq], saver);
    const { values } = await copied.graph.getState(thread);
    const { _offloads } = values as { _offloads: Record<string, string> };
    const copy = { configurable: { thread_id: "a copy of code-2" } };
    await copied.graph.updateState(copy, { _offloads }, "tools");
    const again = await copied.invoke({ messages: "More" }, copy);
    expect(toolMessages(again.messages).at(-1)?.text).toMatch(/^\d+\n1 result/);
    expect(JSON.stringify(first.messages).length).toBeLessThan(30_000);
  });

  it("is read back in later runs without a thread, by the message that carries it", async () => {
    const plain = agentOf([callBoth, joined], [rowsTool(), peopleTool], { offloader });
    const { messages } = await plain.invoke({ messages: "Go" });
    const made = storedIn(messages)[2];
    const later = agentOf(
      [calling("jq_tool_output", { id: made?.id, filter: ".name" })],
      [peopleTool],
      { offloader },
    );
    const again = await later.invoke({
      messages: [...messages, { role: "user", content: "More" }],
    });
    expect(toolMessages(again.messages).at(-1)?.text).toContain('"Person 1"');
  });
});
