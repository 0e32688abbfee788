import { Ajv } from "ajv";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { readMessages } from "../../../src/adapters/mcp/message.js";
import { structuredDescriptor, unionSchema } from "../../../src/adapters/mcp/output-schema.js";
import { createOwnTools, withExtraction } from "../../../src/adapters/mcp/own-tools.js";
import { withOwnTools } from "../../../src/adapters/mcp/tool-list.js";
import { createOffloader } from "../../../src/core.js";
import { metaCc, vectara } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/store/memory.js";

const offloader = createOffloader({
  store: memoryStore(),
  drillIn: withExtraction({ sql: false }),
});
const own = createOwnTools(offloader, "scope");
afterAll(() => offloader.close());

const ajv = (): Ajv => new Ajv({ strict: false });
const DESCRIPTOR = { offloaded: true, summary: {}, file_path: "/x" };

/** A page of tools, as a server answers. */
const page = (result: object, hidden: string[] = []) => {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  const [message] = readMessages(text) ?? [];
  if (message === undefined) throw new Error("no message");
  const out = withOwnTools(message, own, (name) => hidden.push(name));
  return { text, out, tools: JSON.parse(out).result.tools as { name: string }[] };
};
const namesOf = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);
const OWN = ["read_tool_output", "grep_tool_output", "jq_tool_output", "lro_extract"];
const tool = { name: "a", inputSchema: { type: "object" }, "x-vendor": 1 };

describe("an output schema", () => {
  const recursive = {
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
    $defs: {
      node: {
        type: "object",
        properties: { next: { $ref: "#/$defs/node" }, n: { type: "number" } },
      },
    },
    $schema: "http://json-schema.org/draft-07/schema#",
  };

  it("takes the tool's own results, and descriptors, and nothing else", () => {
    for (const [schema, good, bad] of [
      [
        {
          type: "object",
          properties: { n: { type: "number" } },
          required: ["n"],
          additionalProperties: false,
        },
        { n: 1 },
        { n: "x" },
      ],
      [recursive, { root: { next: { n: 1 } } }, { root: { next: { n: "x" } } }],
    ] as const) {
      const union = unionSchema(schema);
      const validate = ajv().compile(union ?? false);
      expect(union).toMatchObject({ type: "object" });
      expect([validate(good), validate(DESCRIPTOR), validate(bad)]).toEqual([true, true, false]);
    }
  });

  it("is left out when it refers to its own root or to places that would move", () => {
    for (const schema of [
      { type: "object", properties: { child: { $ref: "#" } } },
      { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } },
      { $id: "urn:x", type: "object" },
      { type: "object", properties: { a: { $dynamicRef: "#node" } } },
      Array.from({ length: 100 }).reduce<object>((inner) => ({ not: inner }), {}),
      "nonsense",
    ]) {
      expect(unionSchema(schema)).toBeUndefined();
    }
  });

  it("takes the descriptor of every preset", async () => {
    const validate = ajv().compile(unionSchema({ type: "object", required: ["never"] }) ?? false);
    for (const preset of [{}, vectara(), metaCc()]) {
      const walk = createOffloader({ ...preset, store: memoryStore() });
      const value = JSON.stringify(Array.from({ length: 30_000 }, (_, id) => ({ id })));
      const result = await walk.offload({ toolName: "t", value, sessionId: "s" });
      if (result.outcome !== "offloaded") throw new Error(result.outcome);
      expect(validate(JSON.parse(structuredDescriptor(result.text, true)))).toBe(true);
      await walk.close();
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(validate(JSON.parse(structuredDescriptor(text, false)))).toBe(true);
      }),
    );
  });
});

describe("a page of tools", () => {
  it("ends with the drill-in tools when it is the last", () => {
    expect(namesOf(page({ tools: [tool] }).tools)).toEqual(["a", ...OWN]);
    for (const nextCursor of [null, ""])
      expect(namesOf(page({ tools: [], nextCursor }).tools)).toEqual(OWN);
    const first = page({ tools: [tool], nextCursor: "2" });
    expect(first.out).toBe(first.text);
  });

  it("keeps each tool's text, unknown fields and order", () => {
    const { text, out } = page({
      ttlMs: 5,
      tools: [tool, { ...tool, name: "b" }],
      _meta: { n: 1 },
    });
    expect(out.startsWith(text.slice(0, text.indexOf("]")))).toBe(true);
    expect(out.endsWith(',"_meta":{"n":1}}}')).toBe(true);
  });

  it("has no second tool of a name, and says which one is hidden", () => {
    const hidden: string[] = [];
    const { tools } = page({ tools: [{ ...tool, name: "lro_extract" }, tool] }, hidden);
    expect(namesOf(tools)).toEqual(["a", ...OWN]);
    expect(hidden).toEqual(["lro_extract"]);
  });

  it("is passed on when it is none", () => {
    for (const result of [{}, { tools: "x" }, { tools: { a: 1 } }]) {
      const { text, out } = page(result);
      expect(out).toBe(text);
    }
    const { tools } = page({ tools: [null, 1, { name: 2 }] });
    expect(tools.slice(0, 3)).toEqual([null, 1, { name: 2 }]);
  });

  it("shows models the arguments that the tools take", () => {
    const extract = JSON.parse(own.definitions.at(-1) ?? "");
    expect(extract).toMatchObject({
      name: "lro_extract",
      inputSchema: {
        type: "object",
        required: ["file_path"],
        properties: {
          recipe: { type: "integer" },
          query: { type: "string" },
          params: { type: "object" },
        },
      },
      annotations: { readOnlyHint: true },
    });
  });
});
