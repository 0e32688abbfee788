import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";

import { createDrillInTools } from "../../../src/index.js";
import { CORE_TOOLS, shownParameters } from "../../../src/core/drill-in/tools.js";
import { extractTool } from "../../../src/presets/lro/extract.js";
import { lro } from "../../../src/presets/index.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";
import { rows } from "../large-outputs.js";

const opened = openedOffloaders();
const offloader = sharedOffloader({ preset: lro() });
const tools = createDrillInTools(offloader);
const thread = { configurable: { thread_id: "t-tools" } };

/** Calls a drill-in tool as an agent does. */
async function drill(name: string, args: unknown, config: object = thread): Promise<ToolMessage> {
  const found = tools.find((tool) => tool.name === name);
  const call = { type: "tool_call", name, args, id: "c1" };
  return (await found?.invoke(call as never, config)) as ToolMessage;
}

it("what a model is shown is the schema of each tool and no more, with what a call cannot do without", () => {
  for (const [index, tool] of tools.entries()) {
    const shown = convertToOpenAITool(tool).function.parameters;
    const { schema } = [...CORE_TOOLS, extractTool][index] ?? {};
    expect(shown).toEqual(schema && shownParameters(schema));
    expect(shown).toMatchObject({ type: "object" });
    expect(shown).toHaveProperty(
      "required",
      expect.arrayContaining([index === 4 ? "file_path" : "id"]),
    );
  }
});

it("what a model may send whatever it is, gets an answer that is a tool message", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...tools.map(({ name }) => name)),
    fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom("id", "filter", "recipe"), fc.jsonValue()),
    ),
    async (name, args) => {
      const message = await drill(name, args);
      expect(message).toBeInstanceOf(ToolMessage);
      expect(message).toMatchObject({ tool_call_id: "c1", name, status: "error" });
      expect(message.text).not.toBe("");
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

it("drill-ins of one turn share what the window has left", async () => {
  const { offloader: narrow } = opened({ contextWindowTokens: 8000 });
  const value = JSON.stringify(rows);
  const result = await narrow.offload({ toolName: "list_rows", value, sessionId: "t-tools" });
  const id = result.outcome === "offloaded" ? result.storedArtifact.id : "";
  const node = new ToolNode(createDrillInTools(narrow));
  const answers = async (count: number): Promise<readonly number[]> => {
    const call = { name: "read_tool_output", args: { id, max_tokens: 8000 } };
    const tool_calls = Array.from({ length: count }, (_, n) => ({ ...call, id: `c${n}` }));
    const asked = new AIMessage({ content: "", tool_calls });
    const { messages } = await node.invoke({ messages: [asked] }, thread);
    return messages.map(({ text }: ToolMessage) => text.length);
  };
  const [alone = 0] = await answers(1);
  const shared = await answers(4);
  expect(shared).toHaveLength(4);
  for (const length of shared) {
    expect(length).toBeLessThan(alone / 3);
    expect(length).toBeGreaterThan(alone / 6);
  }
});

it("what a plugin's tool or hook throws or lacks is reported, and the call goes on without it", async () => {
  const run = (answer: unknown) => () => answer as string;
  const toolsOfOwn = [
    { key: "throws", run: () => Promise.reject(new Error("own fault")) },
    { key: "lacks", run: run({}) },
    { key: "works", run: run({ text: "Fine." }) },
  ].map((one) => ({ ...one, description: "Own.", schema: z.object({}) }));
  const beforeRead = (args: unknown): Promise<never> => Promise.resolve(args as never);
  const own = { name: "own", setup: () => ({ tools: toolsOfOwn, beforeRead }) };
  const { offloader: plugged, events } = opened({ plugins: [own] });
  const answers: unknown[] = [];
  for (const { key } of toolsOfOwn) {
    const found = createDrillInTools(plugged).find(({ name }) => name === `${key}_tool_output`);
    const call = { type: "tool_call", name: found?.name, args: {}, id: "c1" };
    answers.push(await found?.invoke(call as never, thread));
  }
  expect(answers).toMatchObject([{ status: "error" }, { status: "error" }, { content: "Fine." }]);
  const reported = events.flatMap((event) => (event.type === "plugin-failed" ? event.hook : []));
  expect(reported).toEqual(["beforeRead", "tools", "beforeRead", "tools", "beforeRead"]);
});
