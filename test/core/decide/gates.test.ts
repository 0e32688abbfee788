import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentLimit } from "../../../src/core/decide/gates/argument-limit.js";
import { contextShare } from "../../../src/core/decide/gates/context-share.js";
import { type DecideContext, smallestLimits } from "../../../src/core/decide/gate.js";
import { headroom } from "../../../src/core/decide/gates/headroom.js";
import { atLeast, threshold } from "../../../src/core/decide/gates/threshold.js";

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

  it("is one less when a size or more has to leave", () => {
    expect(atLeast({ tokens: 10_000 })(context())?.tokens).toBe(9999);
    expect(atLeast({ bytes: 1 })(context())?.bytes).toBe(0);
    expect(() => atLeast({ tokens: 0 })).toThrow("0; use a whole number from 1 up\n  → at tokens");
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
  const tokensAt = (fraction: number, conversationTokens: number): number | undefined =>
    headroom({ fraction })(context({ conversationTokens, contextWindowTokens: 100_000 }))?.tokens;

  it("leaves nothing at 0 and is no gate at 1", () => {
    expect(tokensAt(0, 0)).toBe(0);
    expect(tokensAt(1, 99_999)).toBeUndefined();
    expect(tokensAt(0.999, 99_899)).toBe(1);
  });

  it("has no opinion without a window or a conversation", () => {
    const gate = headroom({ fraction: 0.7 });
    expect(gate(context({ conversationTokens: 5 }))).toBeUndefined();
    expect(gate(context({ contextWindowTokens: 5 }))).toBeUndefined();
  });

  it("lets outputs below its floor pass and no others", () => {
    const gate = headroom({ fraction: 0.7, minBytes: 4096 });
    const full = { conversationTokens: 90_000, contextWindowTokens: 100_000 };
    expect(gate(context({ ...full, outputBytes: () => 4095 }))).toBeUndefined();
    expect(gate(context({ ...full, outputBytes: () => 4096 }))?.tokens).toBe(0);
  });

  it("warns once when conversations are summarized before it offloads, and of nothing else", () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    for (const summarizationFraction of [0.7, 0.6]) {
      const gate = headroom({ fraction: 0.7, summarizationFraction, onWarning });
      gate(context({ conversationTokens: 10, contextWindowTokens: 100 }));
    }
    expect(warnings).toEqual([
      expect.stringContaining(
        "at 0.7 of the context window and conversations are summarized at 0.7",
      ),
      expect.stringContaining("Set the headroom below the summarization threshold"),
    ]);
    headroom({ fraction: 0.7, summarizationFraction: 0.71, onWarning });
    headroom({ fraction: 1, summarizationFraction: 0.5, onWarning });
    headroom({ fraction: 0.7, onWarning });
    expect(warnings).toHaveLength(2);
    expect(() => headroom({ fraction: 0.7, summarizationFraction: 70 })).toThrow(/summarization/);
  });
});

describe("argument limit gate", () => {
  const gate = argumentLimit("inline_threshold_bytes", threshold({ bytes: 8192 }));
  const limitOf = (given: unknown): number | undefined =>
    gate(context({ args: { inline_threshold_bytes: given } }))?.bytes;

  it("takes a call's own limit, larger or smaller than the usual one", () => {
    expect(limitOf(16_384)).toBe(16_384);
    expect(limitOf("512")).toBe(512);
    expect(limitOf(0)).toBe(0);
  });

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
