import { describe, expect, it } from "vitest";

import { ARMS } from "../../eval/arms.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import type { ScoredSample } from "../../eval/scored.js";
import { scoredSamples } from "./arm-run.js";

const wrongOf = (samples: readonly ScoredSample[]): string[] =>
  samples
    .filter(({ correct }) => !correct)
    .map(({ arm, corpus, scale, kind, outcome }) => `${arm} ${corpus} ${scale} ${kind} ${outcome}`);
const offloading = ARMS.filter(({ agent, name }) => agent === "offload" && name !== "truncated");
const withoutSql = offloading
  .filter(({ sql, code }) => sql !== true && code !== true)
  .map(({ name }) => name);

/** A window in which every preset finds 50 memories too large. */
const memories = { corpora: ["memories"] as const, windowTokens: 20_000 };

describe("the scripted reader over 50 records", { timeout: 120_000 }, () => {
  it("is right where all records are in sight, at once or in pages", async () => {
    const samples = [
      ...(await scoredSamples({ arms: ["inline"] })),
      ...(await scoredSamples({
        arms: ["paged-20", "paged-fair"],
        corpora: ["orders"],
        kinds: ["top", "synthesis"],
      })),
    ];
    expect(samples).toHaveLength(2 * QUESTION_KINDS.length + 4);
    expect(wrongOf(samples)).toEqual([]);
    expect(samples.every(({ recordsSeen }) => recordsSeen === 50)).toBe(true);
    for (const { arm, calls } of samples) expect(calls).toHaveLength(arm === "inline" ? 2 : 11);
  });

  it("is right with every descriptor, since the tools reach what it does not show", async () => {
    // One preset that stores lines and one that stores the document get every question.
    const everything = ["bare", "vectara"];
    const rest = withoutSql.filter((name) => !everything.includes(name));
    const samples = [
      ...(await scoredSamples({ ...memories, arms: everything })),
      ...(await scoredSamples({ ...memories, arms: rest, kinds: ["lookup", "synthesis"] })),
    ];
    expect(samples).toHaveLength(2 * QUESTION_KINDS.length + 2 * rest.length);
    expect(wrongOf(samples)).toEqual([]);
    for (const sample of samples) {
      expect(sample.offloaded).toBe(true);
      expect(sample.recordsSeen).toBeLessThan(20);
    }
  });

  it("is wrong about the whole where the output is cut", async () => {
    const samples = await scoredSamples({ arms: ["truncated"] });
    const right = samples.filter(({ correct }) => correct);
    for (const { kind } of right) expect(["lookup", "search"]).toContain(kind);
    expect(samples.every(({ recordsSeen }) => recordsSeen > 0 && recordsSeen < 50)).toBe(true);
    expect(samples.every(({ calls }) => calls.length === 2)).toBe(true);
  });

  it("over 700 orders finds ids in what deepagents evicted, and cannot count beyond what read_file shows of one line", async () => {
    const samples = await scoredSamples({
      corpora: ["orders"],
      scales: [700],
      arms: ["deepagents"],
    });
    expect(samples.every(({ offloaded }) => offloaded)).toBe(true);
    const right = samples.filter(({ correct }) => correct).map(({ kind }) => kind);
    expect(right).toContain("lookup");
    for (const kind of ["count", "group", "filter", "synthesis"] as const) {
      expect(right).not.toContain(kind);
    }
  });
});
