import { describe, expect, it } from "vitest";
import { limitFactor } from "../../src/decide/no-drill-in.js";

describe("an agent that can read nothing back", () => {
  it.each([
    [undefined, 1],
    ["describe", 1],
    ["raise", 4],
    ["inline", Infinity],
  ] as const)(
    "rule 79: with whenNoDrillIn %s has limits %s times as high",
    (whenNoDrillIn, factor) => {
      for (const toolNames of [{}, { jq: undefined }]) {
        expect(limitFactor({ whenNoDrillIn, toolNames })).toBe(factor);
      }
    },
  );
});

describe("an agent that can read something back", () => {
  it.each([
    [{ toolNames: { extract: "lro_extract" } }],
    [{ toolNames: { grep: "g" }, shell: false }],
    [{ toolNames: {}, shell: true }],
  ])("rule 79: keeps its limits, as with %j", (able) => {
    for (const whenNoDrillIn of ["describe", "raise", "inline"] as const) {
      expect(limitFactor({ ...able, whenNoDrillIn })).toBe(1);
    }
  });
});
