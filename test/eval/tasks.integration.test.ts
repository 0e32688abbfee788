import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CORPORA } from "../../eval/corpus.js";
import { inWords, type Question, QUESTION_KINDS } from "../../eval/question.js";
import { jqFilterFor } from "../../eval/reader/jq-filter.js";
import { jqStreamFor } from "../../eval/reader/jq-stream.js";
import { readQuestion } from "../../eval/reader/read-question.js";
import { scoreOf } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";

const corpora = Object.values(CORPORA);

describe("the corpora", () => {
  it.each(corpora)("$name has one latest record, so that the question has one answer", (corpus) => {
    const times = corpus.records(500, 3).map((record) => record[corpus.paths.newest]);
    expect(new Set(times).size).toBe(500);
  });
});

describe("a task", () => {
  it("is never answered by nothing or by none", () => {
    for (const corpus of corpora) {
      for (const kind of QUESTION_KINDS) {
        const { truth } = taskOf(corpus, corpus.records(50, 9), kind, 9);
        expect(truth).not.toBe(0);
        expect(JSON.stringify(truth).length).toBeGreaterThan(0);
        if (Array.isArray(truth)) expect(truth.length).toBeGreaterThan(0);
      }
    }
  });

  it("does not tell its answer", () => {
    const { prompt, truth } = taskOf(
      CORPORA.orders,
      CORPORA.orders.records(500, 1),
      "synthesis",
      1,
    );
    for (const value of Object.values(truth as object)) {
      expect(prompt).not.toContain(String(value));
    }
  });
});

describe("the words of a question", () => {
  const text = fc.string({ maxLength: 20 });
  const name = fc.constantFrom("region", "amount", "trust_level", "note");
  const condition = fc.oneof(
    fc.record({ path: name, is: text }),
    fc.record({ path: name, contains: text }),
    fc.record({ path: name, atLeast: fc.nat() }),
  );
  const question: fc.Arbitrary<Question> = fc.oneof(
    fc.record({ kind: fc.constant("lookup" as const), ids: fc.array(text) }),
    fc.record({ kind: fc.constant("count" as const), where: fc.tuple(condition) }),
    fc.record({
      kind: fc.constant("filter" as const),
      where: fc.array(condition, { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("search" as const), path: name, contains: text }),
    fc.record({ kind: fc.constant("group" as const), path: name }),
    fc.record({ kind: fc.constant("top" as const), path: name, count: fc.nat() }),
    fc.record({ kind: fc.constant("synthesis" as const), path: name, mean: name, newest: name }),
  );

  it("are understood by the reader, whatever the values are", () => {
    fc.assert(
      fc.property(question, (asked) => {
        expect(readQuestion(inWords(asked))).toEqual(asked);
      }),
    );
  });
});

describe("the reader's filter for one record at a time", () => {
  it("gives the answers that its filter for all at once gives, and both are right", async () => {
    const offloader = createOffloader({ store: memoryStore() });
    try {
      for (const corpus of corpora) {
        const records = corpus.records(60, 11);
        const result = await offloader.offload({
          toolName: "list",
          value: JSON.stringify(records),
          sessionId: "s",
        });
        if (result.outcome !== "offloaded") throw new Error("not offloaded");
        const { id, scope } = result.storedArtifact;
        for (const kind of QUESTION_KINDS) {
          const { question, truth } = taskOf(corpus, records, kind, 11);
          const answers = await Promise.all(
            [{ filter: jqFilterFor(question), slurp: true }, { filter: jqStreamFor(question) }].map(
              (query) => offloader.drillIn.jq({ id, ...query }, scope),
            ),
          );
          for (const { text } of answers) {
            const given: unknown = JSON.parse(text.slice(0, text.lastIndexOf("\n")));
            expect({ kind, ...scoreOf(kind, given, truth) }).toEqual({
              kind,
              correct: true,
              credit: 1,
            });
          }
        }
      }
    } finally {
      await offloader.close();
    }
  });
});
