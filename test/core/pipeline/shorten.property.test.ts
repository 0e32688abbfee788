import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { contextShare, headroom, mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ConversationSize } from "../../../src/core/types/output.js";

import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

/** Most characters, at each end, that stay of any output. */
const LEAST = 40;
/** Longest notice of a cut. */
const LONGEST_NOTICE = 200;

const units = ["word ", "漢字", "😀👍🏽", "line\n", '{"id":1},', "é\r\n", "x", "\u0000"];
const unit = fc.constantFrom(...units);
const text = fc.oneof(
  fc.tuple(unit, fc.integer({ min: 1, max: 3_000 })).map(([part, times]) => part.repeat(times)),
  fc.string({ unit: "binary", minLength: 1, maxLength: 4_000 }),
  fc.json({ maxDepth: 3 }).map((json) => json.repeat(30)),
  fc
    .array(fc.record({ id: fc.nat(), name: fc.string({ maxLength: 60 }) }), { maxLength: 300 })
    .map((records) => JSON.stringify(records)),
  fc
    .array(fc.nat(), { minLength: 2, maxLength: 600 })
    .map((ids) => ["id,name", ...ids.map((id) => `${id},name ${id}`)].join("\n")),
);
const size = fc.oneof(fc.constantFrom(0, 1, 2, 30), fc.integer({ min: 0, max: 3_000 }));
const fraction = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const quiet = { onWarning: () => {} };
const decide: fc.Arbitrary<OffloadOptions> = fc.oneof(
  size.map((tokens) => ({ threshold: { tokens } })),
  size.map((bytes) => ({ threshold: { bytes } })),
  fc.tuple(size, size).map(([tokens, bytes]) => ({
    threshold: { tokens },
    gates: [() => ({ bytes, reason: "a gate" })],
  })),
  fraction.map((part) => ({ gates: [headroom({ fraction: part, ...quiet })] })),
  fraction.map((part) => ({
    gates: [contextShare({ fraction: part, minBytes: 0, maxBytes: 9_000, ...quiet })],
  })),
  fc.constantFrom(
    { preset: vectara(quiet) },
    { preset: metaCc() },
    { preset: mcpagent({ thresholdTokens: 50 }) },
  ),
);
const conversation: fc.Arbitrary<ConversationSize> = fc.record({
  tokens: fc.nat(12_000),
  contextWindowTokens: fc.constantFrom(8_000, 12_000, 100),
});

/** What a cut text kept of one that came: a beginning, an end, and a notice with sizes between them. */
function expectCut(shown: string, whole: string, notice: RegExp): void {
  const found = notice.exec(shown);
  expect(found).not.toBeNull();
  const [between = "", ...sizes] = found ?? [];
  const head = shown.slice(0, found?.index);
  const tail = shown.slice((found?.index ?? 0) + between.length);
  expect(sizes.length).toBeGreaterThan(0);
  expect(shown.isWellFormed()).toBe(true);
  expect(whole.startsWith(head)).toBe(true);
  expect(whole.endsWith(tail)).toBe(true);
  // A character of two units may stay out.
  expect(Math.min(head.length, tail.length)).toBeGreaterThanOrEqual(LEAST - 1);
  expect(head.length + tail.length).toBeLessThan(whole.length);
}

const LEFT_OUT = /\n\.\.\. \[truncated ([\d.]+ k?M?B); head and tail preserved\] \.\.\.\n/;

async function runPipeline(options: OffloadOptions, value: string, size: ConversationSize = {}) {
  const { offloader, events } = opened(options);
  const output = { toolName: "t", value, sessionId: "s", conversation: size };
  const result = await offloader.offload(output);
  const [cut] = events.filter((event) => event.type === "truncated");
  return { result, returnedTokens: cut?.returnedTokens ?? 0 };
}

describe("an output that comes back shorter", () => {
  it("has a notice with its sizes between a beginning and an end, whatever the limit and the text (item 5)", async () => {
    await fc.assert(
      fc.asyncProperty(text, decide, conversation, async (value, given, size) => {
        const { result } = await runPipeline({ ...given, mode: "truncate" }, value, size);
        expect(result.outcome).not.toBe("offloaded");
        if (result.outcome === "truncated") expectCut(result.text, value, LEFT_OUT);
        else if (result.outcome === "inline") expect(result.value).toBe(value);
      }),
      { numRuns: 250 },
    );
  }, 60_000);

  it("is within its limits in every unit, unless only the least is left, and never larger than it came", async () => {
    const failing = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
    const limits = fc.record({ tokens: size, bytes: size });
    const how = fc.constantFrom<OffloadOptions>({ mode: "truncate" }, { store: failing });
    await fc.assert(
      fc.asyncProperty(text, limits, how, async (value, { tokens, bytes }, options) => {
        const gates = [() => ({ bytes, reason: "a gate" })];
        const limited = { ...options, threshold: { tokens }, gates };
        const { result, returnedTokens } = await runPipeline(limited, value);
        if (result.outcome !== "truncated") return;
        // What is within the limits of a text dense in tokens may have more characters.
        if (returnedTokens > tokens) expect(result.text.length).toBeLessThan(value.length);
        if (result.text.length <= 2 * LEAST + LONGEST_NOTICE) return;
        expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(bytes);
        expect(returnedTokens).toBeLessThanOrEqual(tokens);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
