import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CORPORA, type Corpus } from "../../eval/corpus.js";
import { type Condition, inWords, type Question, QUESTION_KINDS } from "../../eval/question.js";
import { jqFilterFor } from "../../eval/reader/jq-filter.js";
import { jqStreamFor } from "../../eval/reader/jq-stream.js";
import { atPaths, namesIn, readQuestion } from "../../eval/reader/read-question.js";
import type { JsonRecord } from "../../eval/record.js";
import { scoreOf } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";

const corpora = Object.values(CORPORA);
const anyTask = {
  corpus: fc.constantFrom(...corpora),
  count: fc.integer({ min: 1, max: 80 }),
  seed: fc.nat({ max: 10_000 }),
  kind: fc.constantFrom(...QUESTION_KINDS),
};

/** The answer again, by counting over flattened records: shares no code with the evaluation. */
function countedAnswer(question: Question, records: readonly JsonRecord[]): unknown {
  const rows = records.map((record) => flattened(record));
  const ids = (some: readonly Row[]): unknown[] => some.map((row) => row["id"]);
  if (question.kind === "lookup") {
    return question.ids.filter((id) => rows.findIndex((row) => row["id"] === id) >= 0);
  }
  if (question.kind === "search") return ids(rows.filter((row) => fits(row, question)));
  if ("where" in question) {
    let number = 0;
    for (const row of rows) if (!question.where.some((one) => !fits(row, one))) number += 1;
    return number;
  }
  if (question.kind === "top") {
    const left = [...rows];
    const best: Row[] = [];
    while (best.length < question.count && left.length > 0) {
      let at = 0;
      for (const [index, row] of left.entries()) {
        const [one, other] = [Number(row[question.path]), Number(left[at]?.[question.path])];
        if (one > other || (one === other && String(row["id"]) < String(left[at]?.["id"])))
          at = index;
      }
      best.push(...left.splice(at, 1));
    }
    return ids(best);
  }
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const value = String(row[question.path]);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  if (question.kind === "group") return counts;
  const most = Math.max(...Object.values(counts));
  const value = Object.keys(counts)
    .toSorted()
    .find((name) => counts[name] === most);
  const group = rows.filter((row) => row[question.path] === value);
  const numbers = group.map((row) => Number(row[question.mean]));
  const times = group.map((row) => String(row[question.newest])).toSorted();
  return {
    [question.path.split(".").at(-1) ?? ""]: value,
    records: most,
    [`mean_${question.mean.split(".").at(-1)}`]: expect.closeTo(
      numbers.reduce((sum, one) => sum + one) / most,
      1,
    ),
    latest: group.find((row) => row[question.newest] === times.at(-1))?.["id"],
  };
}

type Row = Record<string, unknown>;

function flattened(value: object, before = ""): Row {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]: [string, unknown]) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? flattened(inner, `${before}${name}.`)
        : { [`${before}${name}`]: inner },
    ),
  ) as Row;
}

function fits(row: Row, condition: Condition): boolean {
  const value = row[condition.path];
  if ("is" in condition) return value === condition.is;
  if ("atLeast" in condition) return Number(value) >= condition.atLeast;
  return String(value).indexOf(condition.contains) >= 0;
}

describe("the corpora", () => {
  it("are the same for the same number and seed, with ids of their own", () => {
    fc.assert(
      fc.property(anyTask.corpus, anyTask.count, anyTask.seed, (corpus, count, seed) => {
        const records = corpus.records(count, seed);
        expect(records).toEqual(corpus.records(count, seed));
        expect(new Set(records.map(({ id }) => id)).size).toBe(count);
        expect(records).not.toEqual(corpus.records(count, seed + 1));
      }),
      { numRuns: 30 },
    );
  });

  it.each(corpora)("$name has one latest record, so that the question has one answer", (corpus) => {
    const times = corpus.records(500, 3).map((record) => record[corpus.paths.newest]);
    expect(new Set(times).size).toBe(500);
  });
});

describe("a task", () => {
  it("has the answer that counting by hand gives", () => {
    fc.assert(
      fc.property(
        anyTask.corpus,
        anyTask.count,
        anyTask.seed,
        anyTask.kind,
        (corpus, count, seed, kind) => {
          const records = corpus.records(count, seed);
          const { question, truth } = taskOf(corpus, records, kind, seed);
          expect(truth).toEqual(countedAnswer(question, records));
        },
      ),
      { numRuns: 150 },
    );
  });

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

  it("asks for ids of which another number is there with another seed", () => {
    const present = (corpus: Corpus, seed: number): number => {
      const { truth } = taskOf(corpus, corpus.records(50, seed), "lookup", seed);
      return Array.isArray(truth) ? truth.length : 0;
    };
    const numbers = Array.from({ length: 30 }, (_, seed) => present(CORPORA.orders, seed));
    expect(new Set(numbers).size).toBeGreaterThan(5);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(11);
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

  it("name a nested field by its last name, and the reader finds its place again", () => {
    const nested: Question = { kind: "group", path: "customer.tier" };
    const read = readQuestion(inWords(nested));
    expect(read).toEqual({ kind: "group", path: "tier" });
    if (read === undefined) throw new Error("not understood");
    expect(namesIn(read)).toEqual(["tier"]);
    expect(atPaths(read, new Map([["tier", "customer.tier"]]))).toEqual(nested);
  });

  it("of something else are not understood", () => {
    expect(readQuestion("What is the weather?")).toBeUndefined();
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
