import { expect, it, vi } from "vitest";
import { describeAsFileReference } from "../../../src/presets/meta-cc/meta-cc.js";
import { describeAsEnvelope } from "../../../src/presets/vectara/vectara.js";
import { ALL_TOOLS, store, valuesContent } from "../../core/describe/fixture.js";

it.each([
  ["envelope", describeAsEnvelope],
  ["file reference", describeAsFileReference],
])("the text around the records is parsed for a cursor once: %s", async (_, describer) => {
  const envelope = `{"items":[],"next_cursor":"${"x".repeat(50)}"}`;
  const content = valuesContent(
    Array.from({ length: 300 }, (_, n) => ({ n, text: "words" })),
    { path: ["items"], envelope },
  );
  const stored = await store(content);
  const parse = vi.spyOn(JSON, "parse");
  const { text } = await describer({ ...stored, tools: ALL_TOOLS, count: () => 1e9, text: "" });
  const times = parse.mock.calls.filter(([json]) => json === envelope).length;
  parse.mockRestore();
  expect(text).toContain("next_cursor");
  // The shape is made of it too.
  expect(times).toBeLessThanOrEqual(2);
});
