import { Ajv } from "ajv";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { readMessage } from "../../../src/adapters/mcp/message.js";
import { structuredDescriptor } from "../../../src/adapters/mcp/tool-result.js";
import {
  createOwnTools,
  protocolOptions,
  unionSchema,
  withOwnTools,
} from "../../../src/adapters/mcp/own-tools.js";
import { createOffloader } from "../../../src/core.js";
import { metaCc, vectara } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";

const offloader = createOffloader({
  ...protocolOptions({ drillIn: { sql: false } }),
  store: memoryStore(),
});
const own = createOwnTools(offloader, "sessionKey");
afterAll(() => offloader.close());

const ajv = (): Ajv => new Ajv({ strict: false });
const DESCRIPTOR = { offloaded: true, summary: {}, file_path: "/x" };

/** A page of tools, as a server answers. */
const page = (result: object, hidden: string[] = []) => {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  const message = readMessage(text);
  if (message === undefined) throw new Error("no message");
  const out = withOwnTools(message, own, (name) => hidden.push(name));
  return { text, out, tools: JSON.parse(out).result.tools as { name: string }[] };
};
const tool = { name: "a", inputSchema: { type: "object" }, "x-vendor": 1 };

describe("an output schema", () => {
  it("takes the tool's own results, and descriptors, and nothing else", () => {
    const schema = {
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
      additionalProperties: false,
      $schema: "http://json-schema.org/draft-07/schema#",
    };
    const union = JSON.parse(unionSchema(JSON.stringify(schema)) ?? "");
    const validate = ajv().compile(union);
    expect(union).toMatchObject({ type: "object" });
    expect([{ n: 1 }, DESCRIPTOR, { n: "x" }].map((value) => validate(value))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("is none where it has references, also spelled with escapes or blanks", () => {
    for (const reference of ['"\\u0024ref":"#"', `"$ref"${" ".repeat(20)}: "#/$defs/a"`])
      expect(unionSchema(`{"type":"object","properties":{"a":{${reference}}}}`)).toBeUndefined();
  });

  it("is none for a schema that is nested too deeply to look at", () => {
    const [start, end] = ['{"items":', "}"].map((part) => part.repeat(20_000));
    expect(unionSchema(`${start}{}${end}`)).toBeUndefined();
  });

  it("takes the descriptor of every preset", async () => {
    const union = unionSchema('{ "type": "object", "required": ["never"] }');
    const validate = ajv().compile(JSON.parse(union ?? ""));
    for (const preset of [{}, { preset: vectara() }, { preset: metaCc() }]) {
      const pipeline = createOffloader({ ...preset, store: memoryStore() });
      const value = JSON.stringify(Array.from({ length: 30_000 }, (_, id) => ({ id })));
      const result = await pipeline.offload({ toolName: "t", value, sessionId: "s" });
      if (result.outcome !== "offloaded") throw new Error(result.outcome);
      expect(validate(JSON.parse(structuredDescriptor(result.text, true)))).toBe(true);
      await pipeline.close();
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(validate(JSON.parse(structuredDescriptor(text, false)))).toBe(true);
      }),
    );
  });
});

describe("a page of tools", () => {
  it("keeps each tool's text, unknown fields and order", () => {
    const { text, out } = page({
      ttlMs: 5,
      tools: [tool, { ...tool, name: "b" }],
      _meta: { n: 1 },
    });
    expect(out.startsWith(text.slice(0, text.indexOf("]")))).toBe(true);
    expect(out.endsWith(',"_meta":{"n":1}}}')).toBe(true);
  });
});
