import { describe, expect, it } from "vitest";

import { CORPORA } from "../../eval/corpus.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import { scoreOf } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";

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
