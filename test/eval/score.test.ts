import { expect, it } from "vitest";

import { CORPORA } from "../../eval/corpus.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import { isCorrect } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";

it("takes the right answer of every kind, and nothing else", () => {
  for (const corpus of Object.values(CORPORA)) {
    const records = corpus.records(60, 5);
    for (const kind of QUESTION_KINDS) {
      const { truth } = taskOf(corpus, records, kind, 5);
      expect(isCorrect(kind, truth, truth)).toBe(true);
      const more = typeof truth === "object" ? { ...truth, more: 1 } : truth;
      expect(isCorrect(kind, more, truth)).toBe(typeof truth !== "object");
      for (const wrong of [undefined, null, "", 0, [], {}, ["x"], { x: 1 }, Number.NaN])
        expect(isCorrect(kind, wrong, truth)).toBe(false);
    }
  }
});
