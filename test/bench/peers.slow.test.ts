import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { figuresOf } from "../../bench/peers.js";
import { furtherOutcomes } from "../../bench/peers/further-outcomes.js";
import { measuredOutcomes } from "../../bench/peers/measured-outcomes.js";
import { type Comparison, comparisonOf } from "../../bench/peers/comparison.js";

/** Enough to be over the limit of 80,000 characters that deepagents has, and quick. */
const RECORDS = 2000;
/** Reads 5,000 lines in 60 calls; the bench does. */
const LONG = /to read a log of/;

/** What `npm run bench -- peers` says of ours; the cases that we lose are among them. */
const VERDICTS: readonly (readonly [string, Comparison])[] = [
  ["the model sees instead of 2,000 records in one line of JSON", "better"],
  ["of these records, those that reading reaches", "better"],
  ["the first answer of reading them", "better"],
  ["a search for one of them: those that the answer shows", "better"],
  ["the answer of that search", "better"],
  ["a regular expression over a log: hits shown, of 20", "better"],
  ["the model sees instead of 79,000 Chinese characters", "better"],
  ["lines with $$, $& and $' that the preview shows altered", "better"],
  ["the model sees instead of 100 lines of 5,000 characters", "better"],
  ["a store that is full: records left for the model, of 2,000", "better"],
  ["a store that throws: records left for the model, of 2,000", "better"],
  ["two outputs whose tool call ids are equal: those that are still there", "better"],
  ["two outputs whose tool call ids are empty: those that are still there", "better"],
  ["records that another thread reads of an output, of 2,000", "better"],
  ["permission bits that let other users of the machine at the file", "better"],
  ["on disk for 2,000 records in one line of JSON", "same"],
  ["the model sees instead of 5,000 lines of a log", "better"],
  ["of that log, lines that the model sees without a call", "worse"],
  ["the model sees instead of 5,000 rows of CSV", "better"],
  ["the model sees instead of 500 memories in MIF", "worse"],
  ["calls to read prose of 5,000 words from end to end", "same"],
  ["tokens to read prose of 5,000 words from end to end", "same"],
  ["a count by group over 4,000 records: all that the model must see", "better"],
  ["10 outputs of 70,000 characters in one turn: what the model sees", "better"],
  ["images beside a large text that stay images in the message, of 1", "better"],
  ["artifacts of the tool's own that stay with its message, of 1", "same"],
  ["a message of 300,000 characters from the user: what the model sees", "worse"],
  ["tool definitions in every call of the model, every tool that comes along", "better"],
  ["tool definitions in every call of the model, only the tools that read and search", "better"],
  ["newest checkpoint after an output of 2,000 records, kept in files", "better"],
  [
    "newest checkpoint after an output of 2,000 records, kept in each one's default store",
    "better",
  ],
];

const outcomes = [...measuredOutcomes(RECORDS), ...furtherOutcomes(RECORDS)].filter(
  ({ name }) => !LONG.test(name),
);

describe("the bench of peers", () => {
  it("has every outcome in the list below", () => {
    expect(outcomes.map(({ name }) => name)).toEqual(VERDICTS.map(([name]) => name));
  });

  it.each(VERDICTS)("%s: ours is %s", async (name, comparison) => {
    const outcome = outcomes.find((one) => one.name === name);
    if (outcome === undefined) throw new Error(`There is no outcome of this name: ${name}`);
    const figures = await figuresOf(outcome);
    expect({ ...figures, comparison: comparisonOf(figures) }).toMatchObject({ comparison });
  });

  it("finds every record with ours, and fewer with the other", async () => {
    const outcome = outcomes.find(({ name }) => name.includes("reading reaches"));
    const { figures } = await figuresOf(outcome ?? expect.fail());
    expect(figures[0]).toBe(RECORDS);
    expect(figures[1]).toBeLessThan(RECORDS);
  });

  it("gives the opposite comparison when the sides change places, and when less becomes more", () => {
    const opposite = { better: "worse", same: "same", worse: "better" } as const;
    const figure = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(figure, figure, (ours, theirs) => {
        const given = { name: "any", unit: "ms", better: "less" as const };
        const comparison = comparisonOf({ ...given, figures: [ours, theirs] });
        expect(comparisonOf({ ...given, figures: [theirs, ours] })).toBe(opposite[comparison]);
        expect(comparisonOf({ ...given, better: "more", figures: [ours, theirs] })).toBe(
          opposite[comparison],
        );
      }),
    );
  });
});
