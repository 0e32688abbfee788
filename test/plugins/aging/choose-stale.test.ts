import { describe, expect, it } from "vitest";

import {
  type AgingItem,
  chooseStale,
  triggerTokens,
} from "../../../src/plugins/aging/choose-stale.js";

const rules = { trigger: { tokens: 1_000 }, keep: { results: 2 } };
const answer: AgingItem = { role: "answer", tokens: 50 };
const result = (tokens: number): AgingItem => ({ role: "result", tokens, agedTokens: 40 });
const staying: AgingItem = { role: "result", tokens: 400 };

/** A conversation in which each result follows the call that asked for it, and the last one is unanswered. */
function turns(...results: readonly AgingItem[]): AgingItem[] {
  return [{ role: "other", tokens: 10 }, ...results.flatMap((one) => [answer, one])];
}
const fiveOf = (tokens: number): AgingItem[] =>
  turns(...Array.from({ length: 5 }, () => result(tokens)));
const five = fiveOf(4_000);

describe("what leaves a conversation", () => {
  it("is nothing up to the trigger, and all that is stale above it", () => {
    expect(chooseStale(five, { tokens: 1_000 }, rules)).toEqual([]);
    expect(chooseStale(five, { tokens: 1_001 }, rules)).toEqual([2, 4, 6]);
  });

  it("is whatever may leave once 85 % of the window are full, and never before a trigger below that", () => {
    const little = fiveOf(400);
    const windowTokens = 10_000;
    expect(chooseStale(little, { tokens: 8_499, windowTokens }, rules)).toEqual([]);
    expect(chooseStale(little, { tokens: 8_500.1, windowTokens }, rules)).toHaveLength(3);
    const late = { ...rules, trigger: { tokens: 20_000 } };
    expect(chooseStale(little, { tokens: 8_500.1, windowTokens }, late)).toHaveLength(3);
  });

  it("frees 10,000 tokens at once, or is nothing", () => {
    const leaves = (freedTokens: number): readonly number[] =>
      chooseStale(turns(result(freedTokens + 40), staying, staying), { tokens: 50_000 }, rules);
    expect([leaves(9_999), leaves(10_000)]).toEqual([[], [2]]);
  });

  it("is never what the model has not answered yet, however many that are", () => {
    const parallel = [answer, ...Array.from({ length: 6 }, () => result(4_000))];
    expect(chooseStale(parallel, { tokens: 5_000 }, rules)).toEqual([]);
    expect(chooseStale([...parallel, answer], { tokens: 5_000 }, rules)).toEqual([1, 2, 3, 4]);
  });

  it("passes over what may not leave, which counts among the newest all the same", () => {
    const mixed = turns(result(9_000), staying, result(9_000), staying, staying);
    expect(chooseStale(mixed, { tokens: 5_000 }, rules)).toEqual([2, 6]);
  });
});

it("the trigger is 30 % of the window, at most 60,000 tokens, and 30,000 where the window is not known", () => {
  expect(triggerTokens(undefined, 100_000)).toBe(30_000);
  expect(triggerTokens(undefined, 1_000_000)).toBe(60_000);
  expect(triggerTokens(undefined, undefined)).toBe(30_000);
  expect(triggerTokens({ fraction: 0.5 }, 100_000)).toBe(50_000);
  expect(triggerTokens({ fraction: 0.5 }, undefined)).toBe(30_000);
  expect(triggerTokens({ tokens: 7 }, 100_000)).toBe(7);
});
