import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcpagent } from "../../../src/presets/index.js";
import { offloadWith } from "../offload-with.js";

describe("mcpagent preset", () => {
  it.each([
    ["rows", `id,name\n${"1,a name\n".repeat(900)}`, true],
    ["JSON lines", '{"id":1,"name":"a name"}\n'.repeat(900), true],
    [
      "an array",
      JSON.stringify(Array.from({ length: 900 }, () => ({ id: 1, name: "a name" }))),
      false,
    ],
  ])("says of %s what a jq query runs on", async (_, text, isEach) => {
    const { result } = await offloadWith({ preset: mcpagent({ thresholdTokens: 100 }) }, text);
    expect(String(result.text).includes("each record; [inputs] has all")).toBe(isEach);
  });

  it("previews a prefix that splits no character and costs at most 80 % of the output", async () => {
    const preset = { preset: mcpagent({ thresholdTokens: 100 }) };
    const unit = fc.constantFrom("😀", "漢", "a", "\n", "é", " the");
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 300, maxLength: 500 }), async (units) => {
        const text = units.join("");
        const { result, id } = await offloadWith(preset, text);
        if (result.outcome !== "offloaded") return;
        const shown =
          result.text.split(`<preview ${id}>\n`)[1]?.split(`\n</preview ${id}>`)[0] ?? "";
        expect(text.startsWith(shown)).toBe(true);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(50);
        expect(result.descriptor.tokens).toBeLessThanOrEqual(0.8 * result.storedArtifact.tokens);
      }),
      { numRuns: 8 },
    );
  });
});
