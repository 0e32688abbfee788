import { describe, expect, it } from "vitest";

import { threshold } from "../src/presets/index.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import { memoryStore } from "../src/core/store/memory.js";
import type { FailedOutput, OffloadResult } from "../src/core/types/result.js";
import { openedOffloaders } from "./opened-offloaders.js";

const open = openedOffloaders();
const failing = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
const output = (value: unknown) => ({ toolName: "t", value, sessionId: "s" });
const bytesOf = (result: OffloadResult | FailedOutput): number =>
  Buffer.byteLength(String("text" in result ? result.text : Reflect.get(result, "value")));

describe("a limit in bytes", () => {
  it.each([
    ["words", "plenty of words ".repeat(5_000)],
    ["records", JSON.stringify(Array.from({ length: 3_000 }, (_, id) => ({ id, name: "same" })))],
    ["rows", ["id,name", ...Array.from({ length: 3_000 }, (_, id) => `${id},a name`)].join("\n")],
    ["Chinese", "漢字".repeat(9_000)],
    ["blanks", `${" ".repeat(60_000)}end`],
  ])("holds when the store fails, for %s (C4)", async (_, value) => {
    const { offloader } = open({ store: failing, threshold: { bytes: 8_000 } });
    const result = await offloader.offload(output(value));
    expect(result.outcome).toBe("truncated");
    expect(bytesOf(result)).toBeLessThanOrEqual(8_000);
    expect(bytesOf(result)).toBeGreaterThan(6_000);
  });

  it("below a higher threshold in tokens counts what it stores (C14)", async () => {
    const value = "漢字かな".repeat(700);
    const counted = open({ threshold: { tokens: 1 } });
    const exact = await counted.offloader.offload(output(value));
    const { offloader, events } = open({
      threshold: { tokens: 100_000 },
      gates: [threshold({ bytes: 2_000 })],
    });
    const result = await offloader.offload(output(value));
    if (result.outcome !== "offloaded" || exact.outcome !== "offloaded") throw new Error("inline");
    const { tokens } = exact.storedArtifact;
    expect(result.storedArtifact).toMatchObject({ tokens, tokensExact: true });
    expect(events).toMatchObject([{ tokensSaved: tokens - result.descriptor.tokens }]);
  });

  it("is not cut further by a turn's budget that has room (C15)", async () => {
    const limits = { threshold: { bytes: 8_000 }, mode: "truncate" } as const;
    // About two bytes a token.
    const value = Array.from({ length: 9_000 }, (_, id) => (id * 7_919_777) % 1e9).join("");
    const alone = await open(limits).offloader.offload(output(value));
    const budgeted = open({ ...limits, turnBudget: { tokens: 1_000_000 } });
    const [result] = await budgeted.offloader.offloadAll([output(value), output("small")]);
    expect(result).toEqual(alone);
    expect(bytesOf(alone)).toBeGreaterThan(7_500);
  });
});

describe("what fails before the decision", () => {
  const fault = (): never => {
    throw new Error("no rule");
  };
  const large = "plenty of words ".repeat(200_000);
  async function* parts(): AsyncGenerator<string> {
    for (let part = 0; part < 600; part += 1) {
      yield await Promise.resolve("plenty of words ".repeat(1_000));
    }
  }

  it.each<[string, OffloadOptions]>([
    ["a gate", { gates: [fault] }],
    ["the set behind an answer", { selectResultSet: fault }],
  ])("as %s does leaves inline what the window has room for (row 5)", async (what, options) => {
    const { offloader, events } = open(options);
    const small = await offloader.offload(output("small"));
    expect(small).toMatchObject({ outcome: "inline", value: "small" });
    const result = await offloader.offload(output(large));
    expect(result.outcome).toBe("truncated");
    expect(events).toMatchObject([
      { type: "write-failed", fallback: "inline" },
      { type: "write-failed", fallback: "truncated" },
      { type: "truncated", returnedTokens: expect.any(Number) },
    ]);
    const [, , cut] = events;
    expect(cut?.type === "truncated" && cut.returnedTokens).toBeLessThanOrEqual(115_200);
    if (what !== "a gate") return;
    const streamed = await offloader.offload(output(parts()));
    if (streamed.outcome !== "truncated") throw new Error(`got ${streamed.outcome}`);
    expect(streamed.text.length).toBeLessThan(1_000_000);
    expect(streamed.text).toContain(" of 9600000 bytes are missing here");
  });
});
