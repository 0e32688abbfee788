import { describe, expect, it } from "vitest";

import { threshold } from "../src/design.js";
import type { OffloadOptions } from "../src/options/options.js";
import { resolveOptions } from "../src/options/resolve-options.js";
import { openedOffloaders } from "./opened-offloaders.js";

const open = openedOffloaders();
type Decide = NonNullable<OffloadOptions["decide"]>;
/** Of so many tokens of o200k_base, six bytes each. */
const text = (tokens: number): string => " token".repeat(tokens);

async function outcomeOf(
  tokens: number,
  options: OffloadOptions,
  overrides?: unknown,
): Promise<string> {
  const { offloader } = open({ drillIn: false, ...options });
  const output = { toolName: "t", value: text(tokens), sessionId: "s", overrides };
  return (await offloader.offload(output)).outcome;
}

/** A limit of 500 tokens, stated in every way. */
const ways: [string, Decide, unknown?][] = [
  ["tokens", { threshold: { tokens: 500 } }],
  ["bytes", { threshold: { bytes: 3_000 } }],
  ["an override in tokens", {}, { threshold: { tokens: 500 } }],
  ["an override in bytes", {}, { threshold: { bytes: 3_000 } }],
  ["the budget of a turn", { threshold: { tokens: 90_000 }, turnBudget: { tokens: 500 } }],
];

describe("an agent that can read nothing back", () => {
  it.each(ways)("keeps everything inline with `inline`, for %s (C6)", async (_, decide, given) => {
    const options = { decide: { ...decide, whenNoDrillIn: "inline" } } as const;
    expect(await outcomeOf(20_000, options, given)).toBe("inline");
    expect(await outcomeOf(501, { decide }, given)).toBe("offloaded");
    const { turnBudget: _budget, callArgument: _argument, ...own } = options.decide;
    const perTool = { t: { decide: own } };
    expect(await outcomeOf(20_000, { decide, scope: { perTool } }, given)).toBe("inline");
    expect(await outcomeOf(501, { ...options, drillIn: {} }, given)).toBe("offloaded");
  });

  it.each(ways)("has four times the limit with `raise`, for %s (C6)", async (_, decide, given) => {
    const options = { decide: { ...decide, whenNoDrillIn: "raise" } } as const;
    expect(await outcomeOf(2_000, options, given)).toBe("inline");
    expect(await outcomeOf(2_001, options, given)).toBe("offloaded");
    expect(await outcomeOf(501, { ...options, describe: { shell: true } }, given)).toBe(
      "offloaded",
    );
  });

  it("keeps everything inline with `inline` whatever gates say, and leaves them alone with `raise`", async () => {
    const gates = [threshold({ bytes: 3_000 })];
    expect(await outcomeOf(20_000, { decide: { gates, whenNoDrillIn: "inline" } })).toBe("inline");
    expect(await outcomeOf(501, { decide: { gates, whenNoDrillIn: "raise" } })).toBe("offloaded");
  });

  it("is told the threshold that is in force (architecture 7, row 9)", () => {
    const of = (options: OffloadOptions): unknown => {
      const { effective, thresholdTokens } = resolveOptions(options);
      expect(effective.thresholdTokens.value).toBe(thresholdTokens);
      return effective.thresholdTokens;
    };
    const raise: OffloadOptions = { drillIn: false, decide: { whenNoDrillIn: "raise" } };
    expect(of(raise)).toEqual({ value: 6_400, source: "default" });
    expect(of({ ...raise, decide: { whenNoDrillIn: "inline" } })).toEqual({
      value: undefined,
      source: "default",
    });
    expect(of({ decide: { whenNoDrillIn: "raise" } })).toMatchObject({ value: 1_600 });
    const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "100" };
    expect(of({ ...raise, config: { env } })).toEqual({ value: 400, source: "environment" });
    expect(of({ decide: { threshold: { bytes: 5 } } })).toMatchObject({ value: undefined });
  });
});
