import { describe, expect, it } from "vitest";
import { thresholdFor } from "../../src/decide/no-drill-in.js";

const thresholdTokens = 1600;

describe("an agent that can read nothing back", () => {
  it.each([
    [undefined, 1600],
    ["describe", 1600],
    ["raise", 6400],
    ["inline", Infinity],
  ] as const)(
    "rule 79: with whenNoDrillIn %s has a threshold of %s tokens",
    (whenNoDrillIn, tokens) => {
      for (const toolNames of [{}, { jq: undefined }]) {
        expect(thresholdFor({ whenNoDrillIn, toolNames, thresholdTokens })).toBe(tokens);
      }
    },
  );
});

describe("an agent that can read something back", () => {
  it.each([
    [{ toolNames: { extract: "lro_extract" } }],
    [{ toolNames: { grep: "g" }, shell: false }],
    [{ toolNames: {}, shell: true }],
  ])("rule 79: keeps its threshold, as with %j", (able) => {
    for (const whenNoDrillIn of ["describe", "raise", "inline"] as const) {
      expect(thresholdFor({ ...able, whenNoDrillIn, thresholdTokens })).toBe(thresholdTokens);
    }
  });
});
