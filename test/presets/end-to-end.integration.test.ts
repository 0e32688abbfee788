import type { BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { toolMessages } from "../adapters/large-outputs.js";

const rows = Array.from({ length: 1200 }, (_, id) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  note: `visit ${id * 7919}`,
}));
const output = JSON.stringify(rows);
const silent = { onWarning: (): void => {} };

type Call = readonly [string, Readonly<Record<string, unknown>>];
type Step = Call | ((answers: readonly string[]) => Call);

/** An agent whose model makes these calls one after the other, and what it was answered. */
async function answersOf(
  steps: readonly Step[],
  options: OffloadOptions,
  answer: string = output,
): Promise<{ readonly answers: readonly string[]; readonly tools: readonly string[] }> {
  const textsOf = (messages: readonly BaseMessage[]): string[] =>
    toolMessages(messages).map(({ text }) => text);
  const turns = steps.map((step): ScriptedTurn => (messages) => {
    const [name, args] = typeof step === "function" ? step(textsOf(messages)) : step;
    return { toolCalls: [{ name, args: { ...args } }] };
  });
  const model = scriptedModel(turns);
  const offloader = createOffloader({ store: memoryStore(), ...options });
  const subject = (name: string): DynamicStructuredTool =>
    tool(() => answer, { name, description: "Visits.", schema: z.looseObject({}) });
  const agent = createAgent({
    model,
    tools: [subject("search"), subject("query"), subject("list")],
    middleware: [offloadMiddleware({ offloader })],
  });
  const question = { messages: [{ role: "user", content: "go" }] };
  const { messages } = await agent.invoke(question, { configurable: { thread_id: "t" } });
  await offloader.close();
  const own = model.boundTools.filter((name) => !["search", "query", "list"].includes(name));
  return { answers: textsOf(messages), tools: own };
}

const at = (answers: readonly string[], index: number): string => answers[index] ?? "";

describe("one agent with several presets", () => {
  const defaults = ["read_tool_output", "grep_tool_output", "jq_tool_output", "sql_tool_output"];
  const perTool = {
    search: { preset: vectara({ ...silent, maxBytes: 8192 }) },
    query: { preset: metaCc({ environment: {} }) },
    list: { preset: mcpagent() },
  };

  it("gives each tool its own design, and all of them the agent's own drill-in tools", async () => {
    const { answers, tools } = await answersOf(
      [
        ["search", {}],
        ["query", {}],
        ["list", {}],
        ([envelope]) => {
          const { artifact_id: id } = JSON.parse(envelope ?? "");
          return ["jq_tool_output", { id, filter: "length" }];
        },
        (given) => {
          const { path: id } = JSON.parse(at(given, 1)).file_ref;
          return ["jq_tool_output", { id, filter: "map(.id) | add", slurp: true }];
        },
        (given) => {
          const id = /filename (\S+) with/.exec(at(given, 2))?.[1];
          return ["read_tool_output", { id, start: 0, end: 12 }];
        },
      ],
      { perTool },
    );
    expect(tools.toSorted()).toEqual(defaults.toSorted());
    const envelope = JSON.parse(at(answers, 0));
    expect(envelope.shape).toBe("array(1200) of {id: number, city: string, note: string}");
    expect(Object.keys(envelope.how_to_access)).toEqual(defaults);
    expect(JSON.parse(at(answers, 1))).toMatchObject({
      mode: "file_ref",
      file_ref: { line_count: 1200 },
    });
    expect(at(answers, 2)).toContain("- read_tool_output(id, start, end): characters");
    expect(at(answers, 2)).toContain("- grep_tool_output(id, pattern, ignore_case, max_results)");
    expect(at(answers, 2)).not.toMatch(/_large_output|artifact_(?:read|grep|jq)|case_sensitive/);
    expect(at(answers, 3)).toContain("1200");
    expect(at(answers, 4)).toContain(String((1199 * 1200) / 2));
    expect(at(answers, 5)).toContain(output.slice(0, 12));
  });
});
