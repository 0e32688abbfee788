import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
  toolRetryMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";

import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { artifactsOf, countRome, question, rows, rowsTool, toolMessages } from "./large-outputs.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const offloader = sharedOffloader();

const callRows = calling("list_rows");
const isDescriptor = /^\{"offloaded":true/;

/** An agent with offloading before or after another middleware. */
function agentWith(
  order: "outside" | "inside",
  other: unknown,
  turns: readonly ScriptedTurn[],
  tools: readonly unknown[] = [rowsTool()],
) {
  const around = order === "outside" ? { after: [other] } : { before: [other] };
  const agent = agentOf(
    turns,
    tools,
    { offloader },
    { checkpointer: new MemorySaver(), ...around },
  );
  return { model: agent.model, agent };
}

describe.each(["outside", "inside"] as const)("offloading %s of", (order) => {
  it("retries: the output of the last try is offloaded", async () => {
    let tries = 0;
    const flaky = toolNamed("list_rows", () => {
      tries += 1;
      if (tries < 3) throw new Error("again");
      return JSON.stringify(rows);
    });
    const retry = toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 });
    const { agent } = agentWith(order, retry, [callRows], [flaky]);
    const { messages } = await agent.invoke(question, thread(`retry-${order}`));
    expect(tries).toBe(3);
    expect(toolMessages(messages)[0]?.text).toMatch(isDescriptor);
  });

  it("a person who approves, edits or rejects the call", async () => {
    const decisions = {
      approve: { type: "approve" },
      edit: { type: "edit", editedAction: { name: "list_rows", args: { only: "Rome" } } },
      reject: { type: "reject", message: "Not today." },
    } as const;
    for (const [name, decision] of Object.entries(decisions)) {
      const person = humanInTheLoopMiddleware({ interruptOn: { list_rows: true } } as never);
      const { agent } = agentWith(order, person, [callRows]);
      const config = thread(`person-${order}-${name}`);
      await agent.invoke(question, config);
      const resumed = await agent.invoke(
        new Command({ resume: { decisions: [decision] } }),
        config,
      );
      const counts = artifactsOf(resumed.messages).map(({ recordCount }) => recordCount);
      expect([name, ...counts]).toEqual(
        { approve: ["approve", 800], edit: ["edit", 400], reject: ["reject"] }[name],
      );
    }
  });

  it("context editing: a descriptor that was cleared can still be drilled into", async () => {
    const edit = contextEditingMiddleware({
      edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 1 } })],
    });
    const again: ScriptedTurn = (messages) => {
      const asked = messages.filter((message) => AIMessage.isInstance(message)).at(-1);
      return { toolCalls: asked?.tool_calls?.map(({ name, args }) => ({ name, args })) ?? [] };
    };
    const { agent, model } = agentWith(order, edit, [callRows, countRome, again]);
    const { messages } = await agent.invoke(question, thread(`editing-${order}`));
    expect(toolMessages(model.requests[2] ?? [])[0]?.text).toBe("[cleared]");
    expect(toolMessages(messages)[2]?.text).toMatch(/^400\n/);
  });

  it("a summary: what it keeps of a descriptor finds the artifact", async () => {
    const summarizer = scriptedModel([
      (messages) =>
        `Stored at ${/file_path[\\":]+([^\s"\\]+)/.exec(messages.at(-1)?.text ?? "")?.[1]}.`,
    ]);
    const summary = summarizationMiddleware({
      model: summarizer,
      trigger: { messages: 4 },
      keep: { messages: 1 },
    } as never);
    const fromSummary: ScriptedTurn = (messages) => {
      const told = messages.find(({ text }) => text.includes("Stored at "))?.text ?? "";
      const id = /Stored at (\S+)\.(?:\s|$)/.exec(told)?.[1] ?? "none";
      return calling("jq_tool_output", { id, filter: "length", slurp: true });
    };
    const turn: ScriptedTurn = (messages) =>
      messages.some(({ text }) => text.includes("Stored at ")) ? fromSummary(messages) : callRows;
    const { agent } = agentWith(order, summary, [turn]);
    const config = thread(`summary-${order}`);
    await agent.invoke(
      { messages: [new SystemMessage("Be brief."), new HumanMessage("?")] },
      config,
    );
    const { messages } = await agent.invoke(question, config);
    expect(artifactsOf(messages)).toEqual([]);
    expect(toolMessages(messages).at(-1)?.text).toMatch(/^800\n/);
  });
});
