import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../../../src/core/describe/describe.js";
import { lineSchema } from "../../../src/core/describe/forms/record-forms.js";
import { profileContent } from "../../../src/core/profile/profile-document.js";
import { ALL_TOOLS, countTokens, store, textContent, valuesContent } from "./fixture.js";

const key = fc.oneof(
  fc.constantFrom("id", "title", "content", "namespace", "status", "__proto__", "constructor", ""),
  fc.string({ unit: "binary" }),
  fc.string(),
);
const value = fc.jsonValue({ maxDepth: 3 });
const record = fc.oneof(fc.dictionary(key, value, { maxKeys: 12 }), value);
const form = fc.constantFrom("auto", "generic", "bare");

describe("any records", () => {
  it("give a descriptor that is valid JSON within its budget, and never an error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), form, async (values, chosen) => {
        const stored = await store(valuesContent(values), { tokens: 100_000 });
        const descriptor = await describeArtifact(
          { ...stored, tools: ALL_TOOLS, count: countTokens },
          { form: chosen },
        );
        expect(JSON.parse(descriptor.text)).toMatchObject({
          offloaded: true,
          file_path: stored.storedArtifact.filePath,
        });
        expect(descriptor.tokens).toBeLessThanOrEqual(FORM_BUDGET_TOKENS[descriptor.form]);
        expect(stored.storedArtifact.recipes.length).toBeLessThanOrEqual(3);
      }),
      { numRuns: 26 },
    );
  });

  it("are told from records of another shape by their line schema", async () => {
    const content = valuesContent([
      { id: 1, list: ["a"] },
      { id: 2.5, list: [], note: null },
    ]);
    const schema = lineSchema(await profileContent(content), 9);
    expect(schema).toEqual({
      type: "object",
      properties: {
        id: { type: "number" },
        list: { type: "array", items: { type: "string" } },
        note: { type: "null" },
      },
      required: ["id", "list"],
    });
    const isValid = new Ajv2020({ strict: false }).compile(schema);
    expect(isValid({ id: 3, list: ["b"], more: 1 })).toBe(true);
    for (const other of [{ id: 3 }, { id: "3", list: [] }, { id: 3, list: [4] }, [], null]) {
      expect(isValid(other)).toBe(false);
    }
  });
});

describe("any text", () => {
  it("gives a descriptor that is valid JSON within its budget", async () => {
    const anyText = fc.string({ unit: "binary", maxLength: 3_000 });
    await fc.assert(
      fc.asyncProperty(anyText, form, async (text, chosen) => {
        const stored = await store(textContent(text), { tokens: 100_000 });
        const input = { ...stored, tools: ALL_TOOLS, count: countTokens };
        const descriptor = await describeArtifact(input, { form: chosen });
        JSON.parse(descriptor.text);
        expect(descriptor.tokens).toBeLessThanOrEqual(FORM_BUDGET_TOKENS[descriptor.form]);
      }),
      { numRuns: 20 },
    );
  });
});
