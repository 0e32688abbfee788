import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CORPORA } from "../../eval/corpus.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import { scoreOf } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";
import { wilsonInterval } from "../../eval/wilson.js";

describe("the score", () => {
  it("is full for the right answer of every kind, and for nothing else", () => {
    for (const corpus of Object.values(CORPORA)) {
      const records = corpus.records(60, 5);
      for (const kind of QUESTION_KINDS) {
        const { truth } = taskOf(corpus, records, kind, 5);
        expect(scoreOf(kind, truth, truth)).toEqual({ correct: true, credit: 1 });
        for (const wrong of [undefined, null, "", 0, [], {}, ["x"], { x: 1 }, Number.NaN]) {
          expect(scoreOf(kind, wrong, truth).correct).toBe(false);
        }
      }
    }
  });

  it("takes sets in any order, once, and gives F1 for a part", () => {
    expect(scoreOf("lookup", ["b", "a", "a"], ["a", "b"]).correct).toBe(true);
    expect(scoreOf("search", ["a"], ["a", "b"])).toEqual({ correct: false, credit: 2 / 3 });
    expect(scoreOf("search", ["a", "x", "y"], ["a"]).credit).toBe(0.5);
  });
});

describe("Wilson's interval", () => {
  it("has the published values", () => {
    const { low, high } = wilsonInterval(15, 15);
    expect([low, high]).toEqual([expect.closeTo(0.7961, 4), 1]);
    expect(wilsonInterval(0, 15).high).toBeCloseTo(0.2039, 4);
    expect(wilsonInterval(5, 10).low).toBeCloseTo(0.2366, 4);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it("holds the share, within 0 and 1", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (trials, some) => {
        const successes = some % (trials + 1);
        const { low, high } = wilsonInterval(successes, trials);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low - 1e-9).toBeLessThanOrEqual(successes / trials);
        expect(high + 1e-9).toBeGreaterThanOrEqual(successes / trials);
      }),
    );
  });
});
