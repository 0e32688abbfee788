import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { Conversation } from "../../src/adapters/langchain/model-call/context.js";
import { jsonSchemaOf } from "../../src/adapters/langchain/references/reference-rules.js";
import type { DecideContext } from "../../src/core/decide/gate.js";
import { createMeasure } from "../../src/core/measure/measure.js";
import {
  memoryStore,
  offloadFrom,
  type OffloadOptions,
  offloadToolNode,
  withOffload,
} from "../../src/index.js";
import { metaCc } from "../../src/presets/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { handWrittenGraph, question, rows, toolMessages } from "./large-outputs.js";

const ask = { messages: [new HumanMessage("go")] };
const words = " word".repeat(3000);
const threshold = { tokens: 1600 };

const speak = toolNamed("speak", () => words);

function agentWith(options: OffloadOptions): ReturnType<typeof agentOf> {
  return agentOf(
    [calling("speak")],
    [speak],
    { store: memoryStore(), ...options },
    { contextSchema: z.object({ offload: z.unknown().optional() }) },
  );
}

const outcomeIn = (messages: readonly BaseMessage[]): string =>
  toolMessages(messages)[0]?.text === words ? "inline" : "offloaded";

describe("options of one run", () => {
  it("hold for it alone, to the token: a threshold, and that nothing is offloaded", async () => {
    const agent = agentWith({ threshold });
    for (const [offload, outcome] of [
      [{ threshold: { tokens: 3000 } }, "inline"],
      [{ threshold: { tokens: 2999 } }, "offloaded"],
      [{ enabled: false }, "inline"],
      [{}, "offloaded"],
    ] as const) {
      const { messages } = await agent.invoke(ask, { configurable: { offload } });
      expect([offload, outcomeIn(messages)]).toEqual([offload, outcome]);
    }
  });

  it("that are not allowed are ignored with a warning that names them", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const config = { configurable: { offload: { treshold: { tokens: 9000 } } } };
    const { messages } = await agentWith({ threshold }).invoke(ask, config);
    expect(outcomeIn(messages)).toBe("offloaded");
    expect(JSON.stringify(warn.mock.calls)).toContain("treshold");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the conversation that gates see", () => {
  const seen: Pick<DecideContext, "conversationTokens" | "contextWindowTokens">[] = [];
  const gates = [
    ({ conversationTokens, contextWindowTokens }: DecideContext) => {
      seen.push({ conversationTokens, contextWindowTokens });
      return undefined;
    },
  ];

  it("has the window of the model's profile, and its tokens counted as those of outputs are", async () => {
    const profile = { maxInputTokens: 4321 };
    const agent = agentOf([calling("speak")], [speak], { gates }, { profile });
    await agent.invoke({ messages: "漢字".repeat(50) });
    expect(seen.at(-1)?.contextWindowTokens).toBe(4321);
    // Of 100 characters, which would be 25 tokens at four a token.
    const { tokens } = await createMeasure().count("漢字".repeat(50));
    const asked = await createMeasure().count('{"name":"speak","args":{}}');
    expect(tokens).toBeGreaterThan(90);
    expect(seen.at(-1)?.conversationTokens).toBe(tokens + 3 + asked.tokens + 3);
  });

  it("is what the last answer reports, and what came after it", () => {
    const usage_metadata = { input_tokens: 900, output_tokens: 100, total_tokens: 1000 };
    const answer = Object.assign(new AIMessage("long ago"), { usage_metadata });
    const unknown = { usage_metadata: { ...usage_metadata, input_tokens: 0 } };
    const later = Object.assign(new AIMessage("y".repeat(40)), unknown);
    expect(new Conversation([new HumanMessage("z".repeat(9000)), answer], undefined).tokens).toBe(
      1000,
    );
    expect(new Conversation([answer, later], undefined).tokens).toBe(1010);
    expect(new Conversation([], 5)).toMatchObject({ tokens: 0, contextWindowTokens: 5 });
  });
});

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
  const wrappedIn =
    (trace: "original" | "descriptor") =>
    (query: unknown): ToolNode =>
      new ToolNode([withOffload(query as StructuredTool, { offloader, trace })]);
  const nodes: Record<string, (query: unknown) => ToolNode> = {
    "offloadToolNode of tools": (query) => offloadToolNode([query as never], { offloader }),
    "offloadToolNode of a node that runs tools by itself": (query) =>
      offloadToolNode(new OwnNode([query as never]), { offloader }),
    withOffload: wrappedIn("original"),
    "withOffload with trace: descriptor": wrappedIn("descriptor"),
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

  const others: Readonly<Record<string, z.ZodType>> = {
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

const opened = openedOffloaders();

it.each([true, false])("offloadFrom(config) obeys the run; it stores: %s", async (stores) => {
  const put = async () => Promise.reject(new Error("disk full"));
  const store = stores ? memoryStore() : { ...memoryStore(), put };
  const { offloader } = opened({ store, threshold });
  const returning = toolNamed("visits", async (_, config) => {
    const offload = offloadFrom(config);
    return `${await offload(rows)}\n${await offload(Buffer.from(words))}`;
  });
  const run = { configurable: { offload: { form: "bare" } } };
  const text = await withOffload(returning, { offloader }).invoke({}, run);
  const all = JSON.stringify(rows).length + 1 + words.length;
  expect(text).toContain(stores ? '"offloaded":true' : ` of ${all} bytes are missing`);
  expect(text).not.toContain("line_schema");
});
