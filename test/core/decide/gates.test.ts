import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentLimit } from "../../../src/core/decide/gates/argument-limit.js";
import { contextShare } from "../../../src/core/decide/gates/context-share.js";
import { type DecideContext, smallestLimits } from "../../../src/core/decide/gate.js";
import { headroom } from "../../../src/core/decide/gates/headroom.js";
import { threshold } from "../../../src/core/decide/gates/threshold.js";

function context(given: Partial<DecideContext> = {}): DecideContext {
  return { toolName: "search", args: {}, outputBytes: () => 100_000, ...given };
}
const share = { minBytes: 4096, maxBytes: 1_048_576, onWarning: () => {} };

describe("threshold gate", () => {
  it("states its size as the largest that stays, in its own unit", () => {
    const limit = { tokens: 1600, reason: "threshold of 1600 tokens" };
    expect(threshold({ tokens: 1600 })(context())).toEqual(limit);
    expect(threshold({ bytes: 0 })(context())?.bytes).toBe(0);
  });
});

describe("context share gate", () => {
  const bytesAt = (fraction: number, contextWindowTokens: number): number | undefined =>
    contextShare({ ...share, fraction })(context({ contextWindowTokens }))?.bytes;

  it("is the floor at 0 and the whole window, up to the ceiling, at 1", () => {
    expect(bytesAt(0, 128_000)).toBe(4096);
    expect(bytesAt(1, 128_000)).toBe(512_000);
    expect(bytesAt(1, 1_000_000)).toBe(1_048_576);
  });

  it("assumes a window when none is known, and says so once", () => {
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    const gate = contextShare({ ...share, fraction: 0.25, onWarning });
    expect(gate(context())?.bytes).toBe(128_000);
    gate(context());
    expect(warnings).toEqual([
      "The model's context window is not known; 128000 tokens are assumed. Set contextWindowTokens to be exact.",
    ]);
  });

  it("refuses a floor above the ceiling", () => {
    expect(() => contextShare({ fraction: 0.5, minBytes: 2, maxBytes: 1 })).toThrow("at most");
  });

  it("is never outside its bounds and never falls as the window grows", () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fraction, fc.nat(3e6), fc.nat(3e6), (f, a, b) => {
        const [small = 0, large = 0] = [a, b].toSorted((x, y) => x - y);
        const [low = 0, high = 0] = [bytesAt(f, small), bytesAt(f, large)];
        expect(low).toBeGreaterThanOrEqual(4096);
        expect(high).toBeLessThanOrEqual(1_048_576);
        expect(low).toBeLessThanOrEqual(high);
      }),
    );
  });
});

describe("headroom gate", () => {
  it("has no opinion without a window or a conversation", () => {
    const gate = headroom({ fraction: 0.7 });
    expect(gate(context({ conversationTokens: 5 }))).toBeUndefined();
    expect(gate(context({ contextWindowTokens: 5 }))).toBeUndefined();
  });
});

describe("argument limit gate", () => {
  const gate = argumentLimit("inline_threshold_bytes", threshold({ bytes: 8192 }));
  const limitOf = (given: unknown): number | undefined =>
    gate(context({ args: { inline_threshold_bytes: given } }))?.bytes;

  it.each([undefined, null, -1, 1.5, "many", "", Number.NaN, {}])("passes over %j", (given) => {
    expect(limitOf(given)).toBe(8192);
  });
});

describe("smallestLimits", () => {
  it("keeps the smallest of each unit with its reason, the first of equals", () => {
    const gates = [
      threshold({ tokens: 9 }),
      threshold({ bytes: 80 }),
      () => undefined,
      () => ({ tokens: 5, reason: "first" }),
      () => ({ tokens: 5, reason: "second" }),
    ];
    const ofBytes = { bytes: 80, bytesReason: "threshold of 80 bytes" };
    expect(smallestLimits(gates, context())).toEqual({
      tokens: 5,
      tokensReason: "first",
      ...ofBytes,
    });
    expect(smallestLimits([], context())).toEqual({});
  });
});
