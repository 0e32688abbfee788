import { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { getEncoding } from "js-tiktoken";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../../../src/adapters/langchain/offload-tool-node.js";
import { FIRST_REFERENCE_NOTE, REFERENCE_NOTE } from "../../../../src/describe/references.js";
import { withOffload } from "../../../../src/adapters/langchain/with-offload.js";
import type { OffloadOptions } from "../../../../src/options/options.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { lastTool, receiver, rows, storedIn, thread, toolListing } from "../../receiving-tool.js";
import { definitionOf, usualAgents } from "./usual-agent.js";

const usualAgent = usualAgents();
const opened = openedOffloaders();
const encoding = getEncoding("o200k_base");
const tokensOf = (value: unknown): number => encoding.encode(JSON.stringify(value)).length;
const taking = (name: string, shape: Record<string, z.ZodType>): StructuredTool =>
  tool(() => "ok", { name, description: "A tool.", schema: z.object(shape) });

describe("an agent whose tools take data", () => {
  it("hands them over without retyping, and tells of each", async () => {
    const schema = z.object({ rows: z.array(z.any()), body: z.string() });
    const { given, run, events } = usualAgent(
      (id) => ({ rows: { $output: id }, body: { $output: id, jq: "select(.id < 2) | .city" } }),
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

  it("says so in a few words where the argument is, the rest once in the descriptor", async () => {
    const { run, definitions } = usualAgent(() => ({ rows: [] }));
    const descriptor = (await run()).find((message) => ToolMessage.isInstance(message))?.text ?? "";
    expect(JSON.parse(descriptor).guidance).toContain(
      '{"$output": file_path} as an argument whose description offers it passes this output on',
    );
    const sendReport = definitions().find((one) => Reflect.get(one, "name") === "send_report");
    expect(sendReport).toMatchObject({
      description: "Sends a report.",
      parameters: {
        properties: {
          rows: {
            anyOf: [{ type: "array" }, { type: "object" }],
            description: FIRST_REFERENCE_NOTE,
          },
        },
      },
    });
  });

  it("pays at most 150 tokens for the definitions, however many tools take data", async () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      taking(`tool_${n}`, {
        query: z.string(),
        rows: z.array(z.object({ id: z.number() })),
        content: z.string().describe("Text."),
      }),
    );
    for (const references of ["auto", true] as const) {
      const { run, definitions, own } = usualAgent(() => ({ rows: [] }), {
        tools: many,
        options: { references },
      });
      await run();
      const names = new Set(own.map(({ name }) => name));
      const ours = definitions().filter((one) => names.has(Reflect.get(one, "name") as string));
      const added = tokensOf(ours) - tokensOf(own.map(definitionOf));
      expect(added).toBeGreaterThan(100);
      expect(added).toBeLessThanOrEqual(150);
    }
  });

  it("says in full where it is used first how a part is passed, after a full stop", async () => {
    const schema = z.object({ note: z.string(), rows: z.array(z.any()).describe("Rows to send") });
    const text = z.string().describe("What it says.");
    const { run, definitions } = usualAgent(() => ({ note: "", rows: [] }), {
      receiving: receiver(schema),
      tools: [taking("write", { body: text })],
    });
    await run();
    const described = new Map(
      definitions().map((one) => [Reflect.get(one, "name"), Reflect.get(one, "parameters")]),
    );
    expect(described.get("send_report")).toMatchObject({
      properties: { rows: { description: `Rows to send. ${FIRST_REFERENCE_NOTE}` } },
    });
    expect(described.get("write")).toMatchObject({
      properties: { body: { description: `What it says. ${REFERENCE_NOTE}` } },
    });
  });

  it("fills in what the note says: one list of what the filter makes of each record, also of a map", async () => {
    const map = Object.fromEntries(rows.map((row) => [`k${row.id}`, row]));
    const listing = tool(() => JSON.stringify(map), {
      name: "list_rows",
      description: "All rows.",
      schema: z.object({}),
    });
    const selected = [
      { jq: "select(.id == 7) | .city", expected: ["Rome"] },
      { jq: "select(.value.id == 7) | .key", expected: ["k7"], listing },
    ];
    for (const { jq, expected, ...around } of selected) {
      const { run, given } = usualAgent((id) => ({ rows: { $output: id, jq } }), around);
      await run();
      expect(given).toEqual([{ rows: expected }]);
    }
  });

  it("may pass a reference to any of them, told or not", async () => {
    const many = Array.from({ length: 9 }, (_, n) =>
      taking(`tool_${n}`, { rows: z.array(z.any()) }),
    );
    const receiving = receiver(z.object({ ids: z.array(z.number()) }));
    const { run, given, definitions } = usualAgent((id) => ({ ids: { $output: id, jq: ".id" } }), {
      receiving,
      tools: many,
    });
    await run();
    expect(
      JSON.stringify(definitions().find((one) => Reflect.get(one, "name") === "send_report")),
    ).not.toContain("$output");
    expect(given).toEqual([{ ids: rows.map(({ id }) => id) }]);
  });
});

describe("nothing is said and nothing is changed", () => {
  it("where no tool takes data, where references are off, and for tools that never get any", async () => {
    const receiving = receiver(z.object({ query: z.string(), rows: z.any().optional() }));
    const noData = receiver(z.object({ query: z.string() }));
    const off: [typeof receiving, OffloadOptions][] = [
      [noData, {}],
      [receiving, { references: false }],
      [receiving, { references: { never: ["send_report"] } }],
      [receiving, { references: { list_rows: true } }],
    ];
    for (const [one, options] of off) {
      const { run, shown, own, given } = usualAgent(
        (id) => ({ query: "q", rows: { $output: id } }),
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
    const ofTool = tool(() => "sent", {
      name: "send_report",
      description: "Sends a report.",
      schema: z.object({ rows: z.array(z.any()) }),
      extras: { strict: true },
    });
    for (const around of [
      { receiving: { given, sendReport }, before: [strict] },
      { receiving: { given, sendReport: ofTool } },
    ]) {
      for (const references of ["auto", true, { send_report: true }] as const) {
        const { run, shown, own } = usualAgent(() => ({ rows: [] }), {
          ...around,
          options: { references },
        });
        const text = (await run()).find((message) => ToolMessage.isInstance(message))?.text;
        expect(text).not.toContain("$output");
        expect(shown()).toContain(own[1]);
      }
    }
  });

  it("in a conversation whose tools take none any more", async () => {
    const { run, offloader } = usualAgent(() => ({ rows: [] }));
    const told = async (id: string): Promise<string> =>
      (await run(id)).find((message) => ToolMessage.isInstance(message))?.text ?? "";
    expect(await told("one")).toContain("$output");
    const noData = createAgent({
      model: scriptedModel([{ toolCalls: [{ name: "list_rows", args: {} }] }, "done"]),
      tools: [toolListing(rows.slice(1))],
      middleware: [offloadMiddleware({ offloader })],
    });
    const { messages } = await noData.invoke({ messages: "go" }, thread("one"));
    expect(lastTool(messages).text).not.toContain("$output");
  });

  it("in a tool node and a wrapped tool, which cannot tell whether a person decides", async () => {
    const { sendReport } = receiver();
    const { offloader } = opened();
    expect(withOffload(sendReport, { offloader }).schema).toBe(sendReport.schema);
    expect(offloadToolNode([sendReport], { offloader }).tools[0]?.schema).toBe(sendReport.schema);
  });

  it("for the drill-in tools, also where all tools take references", async () => {
    const { run, shown } = usualAgent(() => ({ rows: [] }), { options: { references: true } });
    await run();
    const drillIns = shown().filter((one) =>
      String(Reflect.get(one as object, "name")).endsWith("_tool_output"),
    );
    expect(drillIns).toHaveLength(4);
    expect(
      JSON.stringify(drillIns.map((one) => definitionOf(one as StructuredTool))),
    ).not.toContain("$output");
  });
});

describe("what only looks like a reference", () => {
  it.each([
    ["a list with one of another kind", [{ $output: "$.result" }]],
    ["an object with more keys", { $output: "$.result", next: 1 }],
    ["a key that names no text", { $output: 7 }],
    ["a text", '{"$output": "x"}'],
  ])("%s is data", async (_, data) => {
    const { given, run } = usualAgent(() => ({ rows: data }), {
      receiving: receiver(z.object({ rows: z.any() })),
    });
    await run();
    expect(given).toEqual([{ rows: data }]);
  });

  it("is answered where it names a stored output", async () => {
    for (const wrong of [
      (id: string) => [{ $output: id }],
      (id: string) => `{"$output":"${id}"}`,
      (id: string) => ({ $output: id, jk: "." }),
    ]) {
      const { given, run } = usualAgent((id) => ({ rows: wrong(id) }), {
        receiving: receiver(z.object({ rows: z.any() })),
      });
      expect(lastTool(await run()).status).toBe("error");
      expect(given).toEqual([]);
    }
  });
});
