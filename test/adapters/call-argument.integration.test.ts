import { ToolMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { jsonSchemaOf } from "../../src/adapters/langchain/references/reference-rules.js";
import { offloadNode, offloadToolNode, withOffload } from "../../src/index.js";
import { metaCc } from "../../src/presets/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, question, toolMessages } from "./large-outputs.js";
import { agentOf, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const ARGUMENT = "inline_threshold_bytes";
const offloader = sharedOffloader({ preset: metaCc() });

const strict = z.strictObject({ status: z.string() });
const thread = { configurable: { thread_id: "t" } };
/** Between its own limit and the usual one. */
const letters = JSON.stringify("x".repeat(5_000));

/** A tool, and what it got. */
function queryTool(schema: z.ZodType = strict) {
  const given: unknown[] = [];
  const query = toolNamed(
    "query_tools",
    (args: unknown) => {
      given.push(args);
      return letters;
    },
    schema as z.ZodObject,
  );
  return { query, given };
}

const shownOf = (one: unknown): unknown => jsonSchemaOf(Reflect.get(Object(one), "schema"));
const args = { status: "error", [ARGUMENT]: 4_096 };
const modes = (messages: readonly ToolMessage[]): unknown[] =>
  messages.map(({ text }) => JSON.parse(text).mode);

/** LangGraph's node with a way of its own to run tools. */
class OwnNode extends ToolNode {
  override async runTool(
    ...call: Parameters<ToolNode["runTool"]>
  ): ReturnType<ToolNode["runTool"]> {
    return await super.runTool(...call);
  }
}

describe("an argument of every call", () => {
  const nodes = {
    "offloadToolNode of tools": (query: unknown) =>
      offloadToolNode([query as never], { offloader }),
    "offloadNode of a ToolNode": (query: unknown) =>
      offloadNode(new ToolNode([query as never]), { offloader }),
    "offloadToolNode of a node that runs tools by itself": (query: unknown) =>
      offloadToolNode(new OwnNode([query as never]), { offloader }),
  };

  it.each(Object.entries(nodes))("%s shows it, and the tool does not get it", async (_, make) => {
    const { query, given } = queryTool();
    const node = make(query);
    expect(shownOf(node.tools[0])).toMatchObject({
      properties: { status: { type: "string" }, [ARGUMENT]: { type: "integer" } },
    });
    const calls = [args, { status: "error" }].map((own) => ({ name: "query_tools", args: own }));
    const graph = handWrittenGraph(scriptedModel([{ toolCalls: calls }]), node.tools, node);
    const { messages } = await graph.compile().invoke(question, thread);
    expect(modes(toolMessages(messages))).toEqual(["file_ref", "inline"]);
    expect(given).toEqual([{ status: "error" }, { status: "error" }]);
    expect(shownOf(query)).not.toMatchObject({ properties: { [ARGUMENT]: {} } });
  });

  it.each(["original", "descriptor"] as const)(
    "withOffload with trace: %s shows it, and the tool does not get it",
    async (trace) => {
      const { query, given } = queryTool();
      const wrapped = withOffload(query, { offloader, trace });
      expect(shownOf(wrapped)).toMatchObject({ properties: { [ARGUMENT]: { type: "integer" } } });
      const answers = [];
      for (const own of [args, { status: "error" }]) {
        const call = { type: "tool_call" as const, name: "query_tools", args: own, id: "c" };
        answers.push(await wrapped.invoke(call, thread));
      }
      expect(modes(answers.filter((answer) => ToolMessage.isInstance(answer)))).toEqual([
        "file_ref",
        "inline",
      ]);
      expect(given).toEqual([{ status: "error" }, { status: "error" }]);
    },
  );

  const others: Readonly<Record<string, z.ZodType>> = {
    "a parameter of that name itself": z.object({ [ARGUMENT]: z.number() }),
    "a parameter of that name in one of its forms": z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), [ARGUMENT]: z.number() }),
      z.object({ kind: z.literal("b") }),
    ]),
    "arguments that no JSON schema tells": z.object({
      [ARGUMENT]: z.number(),
      at: z.date().optional(),
    }),
  };

  it.each(Object.entries(others))(
    "a tool with %s stays as it is and gets it",
    async (_, schema) => {
      const { query, given } = queryTool(schema);
      const own = { kind: "a", [ARGUMENT]: 4_096 };
      const toolCalls = [{ name: "query_tools", args: own }];
      const { messages } = await agentOf([{ toolCalls }], [query], { offloader }).invoke(
        question,
        thread,
      );
      expect(given).toMatchObject([{ [ARGUMENT]: 4_096 }]);
      expect(modes(toolMessages(messages))).toEqual(["file_ref"]);
      const node = offloadToolNode([query], { offloader });
      await handWrittenGraph(scriptedModel([{ toolCalls }]), [], node)
        .compile()
        .invoke(question);
      expect(given).toHaveLength(2);
      expect(given[1]).toMatchObject({ [ARGUMENT]: 4_096 });
    },
  );
});
