import { describe, expect, it } from "vitest";

import { figuresOf } from "../../bench/peers.js";
import { furtherOutcomes } from "../../bench/peers/further-outcomes.js";
import { measuredOutcomes } from "../../bench/peers/measured-outcomes.js";
import { type Comparison, comparisonOf } from "../../bench/peers/comparison.js";

/** Enough to be over the limit of 80,000 characters that deepagents has, and quick. */
const RECORDS = 2000;
/** Reads 5,000 lines in 60 calls; the bench does. */
const LONG = /to read a log of/;

/** What `npm run bench -- peers` says where ours is not the better one. */
const NOT_BETTER: Readonly<Record<string, Comparison>> = {
  "on disk for 2,000 records in one line of JSON": "same",
  "of that log, lines that the model sees without a call": "worse",
  "the model sees instead of 500 memories in MIF": "worse",
  "calls to read prose of 5,000 words from end to end": "same",
  "tokens to read prose of 5,000 words from end to end": "same",
  "artifacts of the tool's own that stay with its message, of 1": "same",
  "a message of 300,000 characters from the user: what the model sees": "worse",
};

const outcomes = [...measuredOutcomes(RECORDS), ...furtherOutcomes(RECORDS)].filter(
  ({ name }) => !LONG.test(name),
);

describe("the bench of peers", () => {
  it("has 31 outcomes with names of their own, those that are not better among them", () => {
    const names = outcomes.map(({ name }) => name);
    expect(new Set(names).size).toBe(31);
    expect(names).toEqual(expect.arrayContaining(Object.keys(NOT_BETTER)));
  });

  it.each(outcomes)("$name: ours is not worse than it is said to be", async (outcome) => {
    const comparison = NOT_BETTER[outcome.name] ?? "better";
    const figures = await figuresOf(outcome);
    expect({ ...figures, comparison: comparisonOf(figures) }).toMatchObject({ comparison });
  });

  it("finds every record with ours, and fewer with the other", async () => {
    const outcome = outcomes.find(({ name }) => name.includes("reading reaches"));
    const { figures } = await figuresOf(outcome ?? expect.fail());
    expect(figures[0]).toBe(RECORDS);
    expect(figures[1]).toBeLessThan(RECORDS);
  });
});
