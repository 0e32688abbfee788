import { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { getEncoding } from "js-tiktoken";
import { createMiddleware } from "langchain";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { referring } from "../../../referring.js";
import { schemaRuleOf } from "../../../../src/adapters/langchain/agent-calls.js";
import type { OffloadOptions } from "../../../../src/index.js";
import { receiver, rows, storedIn } from "../../receiving-tool.js";
import { definitionOf, usualAgents } from "./usual-agent.js";
import { toolNamed } from "../../agents.js";

const usualAgent = usualAgents();
const encoding = getEncoding("o200k_base");
const tokensOf = (value: unknown): number => encoding.encode(JSON.stringify(value)).length;
const taking = (name: string, shape: Record<string, z.ZodType>): StructuredTool =>
  toolNamed(name, () => "ok", z.object(shape));

describe("an agent whose tools take data", () => {
  it("hands them over without retyping, and tells of each", async () => {
    const schema = z.object({ rows: z.array(z.any()), body: z.string() });
    const { given, run, events } = usualAgent(
      ({ id }) => ({ rows: { $output: id }, body: { $output: id, jq: "select(.id < 2) | .city" } }),
      { receiving: receiver(schema) },
    );
    const messages = await run();
    expect(given).toEqual([{ rows, body: '["Oslo","Rome"]' }]);
    expect(JSON.stringify(messages).length).toBeLessThan(20_000);
    const { id } = storedIn(messages);
    const told = events.filter(({ type }) => type === "referenced");
    expect(told).toMatchObject(
      ["rows", "body"].map((parameter) => ({ toolName: "send_report", parameter, artifactId: id })),
    );
  });

  const odd = '{"id":9007199254740993,"price":0.10,"huge":1e400,"k":1,"k":2,"neg":-0}';
  const oddRows = Array.from({ length: 99 }, () => odd);
  const oddMembers = oddRows.map((row, index) => `"m\\"${index}":${row}`).join(",");
  it.each([
    ["a list", `[${oddRows.join(",")}]`],
    ["a map", `{${oddMembers}}`],
    ["a document around a map", `{"n":1.0,"a":{${oddMembers}}}`],
    ["JSON Lines", `${oddRows.join("\n")}\n`],
    ["two lists", `{"a":[${oddRows.join(",")}],"b":[${oddRows.join(",")}]}`],
  ])("hands a text parameter the text of %s as it came, or as jq spells it", async (_, text) => {
    const listing = toolNamed("list_rows", () => text);
    const receiving = receiver(z.object({ body: z.string(), text: z.string() }));
    const { given, run } = usualAgent(
      ({ id }) => ({ body: { $output: id }, text: { $output: id, jq: ".. | .id? | numbers" } }),
      { receiving, listing },
    );
    const parse = vi.spyOn(JSON, "parse");
    await run();
    expect(parse.mock.calls.flat()).not.toContain(text);
    parse.mockRestore();
    const ids = expect.stringMatching(/^\[9007199254740993(?:,9007199254740993)+\]$/);
    // Several lists have a line for each record.
    const oneLine = JSON.stringify(given).replaceAll("\\n", "");
    expect(JSON.parse(oneLine)).toEqual([{ body: text.replaceAll("\n", ""), text: ids }]);
  });

  it("hands a list parameter the records of a table", async () => {
    const listing = toolNamed("list_rows", () => `id,city\n${"1,Oslo\n".repeat(2_000)}`);
    const { given, run } = usualAgent(({ id }) => ({ rows: { $output: id } }), {
      receiving: receiver(z.object({ rows: z.array(z.object({ city: z.string() })) })),
      listing,
    });
    await run();
    expect(given).toEqual([{ rows: Array.from({ length: 2_000 }, () => ({ city: "Oslo" })) }]);
  });

  it("pays at most 150 tokens for the definitions, however many tools take data", async () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      taking(`tool_${n}`, {
        query: z.string(),
        rows: z.array(z.object({ id: z.number() })),
        content: z.string().describe("Text."),
      }),
    );
    for (const given of ["auto", { send_report: true }] as const) {
      const { run, definitions, own } = usualAgent(() => ({ rows: [] }), {
        tools: many,
        options: referring(given),
      });
      await run();
      const names = new Set(own.map(({ name }) => name));
      const ours = definitions().filter((one) => names.has(Reflect.get(one, "name") as string));
      const added = tokensOf(ours) - tokensOf(own.map(definitionOf));
      expect(added).toBeGreaterThan(given === "auto" ? 100 : 40);
      expect(added).toBeLessThanOrEqual(150);
    }
  });
});

describe("nothing is said and nothing is changed", () => {
  it("where no tool takes data, where references are off, and for tools that never get any", async () => {
    const receiving = receiver(z.object({ query: z.string(), rows: z.any().optional() }));
    const noData = receiver(z.object({ query: z.string() }));
    const off: [typeof receiving, OffloadOptions][] = [
      [noData, {}],
      [receiving, referring({})],
      [receiving, { perTool: { send_report: { plugins: { references: false } } } }],
      [receiving, referring({ list_rows: true })],
    ];
    for (const [one, options] of off) {
      const { run, shown, own, given } = usualAgent(
        ({ id }) => ({ query: "q", rows: { $output: id } }),
        {
          receiving: { ...one, given: one.given.splice(0) },
          options,
        },
      );
      const text = (await run()).find((message) => ToolMessage.isInstance(message))?.text;
      expect(text).not.toContain("$output");
      expect(shown()).toContain(own[1]);
      for (const args of given) expect(args).toMatchObject({ query: "q" });
      expect(JSON.stringify(one.given)).not.toContain("Oslo");
    }
  });

  it("where the provider holds arguments to the tools' schemas, by the tool or in the whole call", async () => {
    const { given, sendReport } = receiver();
    const strict = createMiddleware({
      name: "strict",
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: { strict: true } }),
    });
    const schema = z.object({ rows: z.array(z.any()) });
    const ofTool = toolNamed("send_report", () => "sent", schema, { extras: { strict: true } });
    for (const around of [
      { receiving: { given, sendReport }, before: [strict] },
      { receiving: { given, sendReport: ofTool } },
    ]) {
      for (const terms of ["auto", { send_report: true }] as const) {
        const { run, shown, own } = usualAgent(() => ({ rows: [] }), {
          ...around,
          options: referring(terms),
        });
        const text = (await run()).find((message) => ToolMessage.isInstance(message))?.text;
        expect(text).not.toContain("$output");
        expect(shown()).toContain(own[1]);
      }
    }
  });

  it("and where a provider's package makes all tools strict, or takes no alternatives", async () => {
    const [openai, responseFormat] = [{ supportsStrictToolCalling: undefined }, { type: "object" }];
    for (const [rule, request] of [
      ["strict", { model: openai, responseFormat }],
      ["strict", { model: { _getModelInstance: async () => openai }, responseFormat }],
      ["strict", { model: { bound: openai, config: { strict: true } } }],
      [undefined, { model: openai, responseFormat: { tool: {} } }],
      [undefined, { model: openai, responseFormat, modelSettings: { strict: false } }],
      ["plain", { model: { lc_namespace: ["langchain", "chat_models", "cohere"] } }],
      ["plain", { model: { lc_namespace: ["langchain", "chat_models", "google"] } }],
    ])
      expect(await schemaRuleOf(request as never)).toBe(rule);
  });
});
