import { describe, expect, it } from "vitest";

import { turnBudgetTokens } from "../../../../src/core/decide/turn/turn-budget.js";
import { memoryStore } from "../../../../src/index.js";
import { type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { metaCc } from "../../../../src/presets/index.js";
import type { ToolOutput } from "../../../../src/core/types/output.js";
import type { FailedOutput, OffloadResult } from "../../../../src/core/types/result.js";

/** Text of so many tokens for the measure `characters`, four characters a token. */
const text = (tokens: number, mark = ""): string =>
  `${mark} ${"some words ".repeat(tokens)}`.slice(0, tokens * 4);
const output = (value: unknown, more: Partial<ToolOutput> = {}): ToolOutput => {
  const one = { toolName: "search", sessionId: "s", value, ...more };
  return one;
};
const outputs = (...sizes: readonly number[]): ToolOutput[] =>
  sizes.map((tokens, index) => output(text(tokens, String(index))));
const outcomes = (results: readonly (OffloadResult | FailedOutput)[]): string[] =>
  results.map(({ outcome }) => outcome);
const tokensOf = (result: OffloadResult | FailedOutput | undefined): number => {
  if (result === undefined || result.outcome === "failed") return 0;
  return Math.ceil(String(result.outcome === "inline" ? result.value : result.text).length / 4);
};

const opened = openedOffloaders();
const offloaderWith = (limits: OffloadOptions, more: OffloadOptions = {}): Offloader =>
  opened({ tokenizer: "characters", ...more, threshold: { tokens: 1600 }, ...limits }).offloader;

describe("budget of a turn", () => {
  it("is the limit of an output that is alone, and an equal share where only their number is known", async () => {
    const offloader = offloaderWith({ turnBudget: { tokens: 1000 } });
    const alone = [output(text(1000)), output(text(1001))];
    const shares = [output(text(250), { turnCalls: 4 }), output(text(251), { turnCalls: 4 })];
    for (const pair of [alone, shares]) {
      const results = await Promise.all(pair.map((one) => offloader.offload(one)));
      expect(outcomes(results)).toEqual(["inline", "offloaded"]);
    }
  });

  it("stores nothing that is no larger than its descriptor", async () => {
    const store = memoryStore();
    const offloader = offloaderWith({ turnBudget: { tokens: 100 } }, { store });
    const small = await offloader.offloadAll(outputs(...Array<number>(200).fill(14)));
    expect(new Set(outcomes(small))).toEqual(new Set(["inline"]));
    // The smallest descriptor has 59 characters.
    const fewer = Array<number>(20).fill(15);
    const results = await offloader.offloadAll(outputs(...fewer, 16, 17));
    expect(outcomes(results)).toEqual([...fewer.map(() => "inline"), "offloaded", "offloaded"]);
    expect((await store.list(sessionKeyOf("s"))).artifacts).toHaveLength(2);
  });

  it("cuts to that level what is over a limit of its own as well", async () => {
    const offloader = offloaderWith({ turnBudget: { tokens: 2000 }, mode: "truncate" });
    const results = await offloader.offloadAll(outputs(5000, 5000, 5000, 100));
    expect(outcomes(results)).toEqual([...Array<string>(3).fill("truncated"), "inline"]);
    expect(results.reduce((sum, result) => sum + tokensOf(result), 0)).toBeLessThanOrEqual(2000);
    const single = await offloader.offload(output(text(5000)));
    expect(tokensOf(single)).toBeLessThanOrEqual(1600);
    expect(tokensOf(single)).toBeGreaterThan(1500);
  });

  it("is what is left of an output that cannot be stored, however large it is", async () => {
    const put = (): Promise<never> => Promise.reject(new Error("full"));
    const store = { ...memoryStore(), put };
    const offloader = offloaderWith({ turnBudget: { tokens: 1000 } }, { store });
    for (const tokens of [1100, 1500, 1700, 9000]) {
      const [alone] = await offloader.offloadAll([output(text(tokens))]);
      expect(tokensOf(alone)).toBeGreaterThan(900);
      expect(tokensOf(alone)).toBeLessThanOrEqual(1000);
    }
    const four = await offloader.offloadAll(outputs(1100, 1100, 1700, 1100));
    expect(four.reduce((sum, result) => sum + tokensOf(result), 0)).toBeLessThanOrEqual(1000);
  });

  it("counts what a preset puts around an output", async () => {
    const { describe: forms } = metaCc();
    const offloader = offloaderWith({ turnBudget: { tokens: 505 } }, { describe: forms ?? {} });
    expect(outcomes([await offloader.offload(output(text(500)))])).toEqual(["offloaded"]);
  });

  it("counts the answer that the model reads, not the set behind it", async () => {
    const selectResultSet = ({ artifact }: ToolOutput): unknown => artifact;
    const offloader = offloaderWith({ turnBudget: { tokens: 600 } }, { selectResultSet });
    const answer = output(text(200), { artifact: text(1000) });
    expect(outcomes(await offloader.offloadAll([answer, answer]))).toEqual(["inline", "inline"]);
  });

  it("waits for a stream, which is as large as what came of it", async () => {
    async function* words(tokens: number): AsyncGenerator<string> {
      for (let index = 0; index < tokens; index += 1) yield await Promise.resolve("wor ");
    }
    const offloader = offloaderWith({ turnBudget: { tokens: 1000 } });
    const all = [output(words(700)), output(words(600)), output("x")];
    const results = await offloader.offloadAll(all);
    expect(outcomes(results)).toEqual(["offloaded", "inline", "inline"]);
  });
});

it("a turn budget is a number of tokens, or a fraction of a window", async () => {
  const around = (contextWindowTokens?: number, tokens?: number) => ({
    contextWindowTokens,
    tokens: async () => await Promise.resolve(tokens),
  });
  expect(await turnBudgetTokens({ tokens: 4000 }, around())).toBe(4000);
  expect(await turnBudgetTokens({ fraction: 0.57 }, around(100))).toBe(57);
  expect(await turnBudgetTokens({ fraction: 0.5 }, around())).toBe(64_000);
  expect(await turnBudgetTokens({ headroom: 0.7 }, around(100, 60))).toBe(10);
  expect(await turnBudgetTokens({ headroom: 0.7 }, around(100, 71))).toBe(0);
  expect(await turnBudgetTokens({ headroom: 1 }, around(100, 60))).toBeUndefined();
  expect(await turnBudgetTokens({ headroom: 0.7 }, around(100))).toBeUndefined();
  expect(await turnBudgetTokens({ headroom: 0.7 }, around())).toBeUndefined();
});
