import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GrepJob, GrepResult } from "../../../../src/core/engines/grep/job.js";
import { excerptLine, scan } from "../../../../src/core/engines/grep/scan.js";
import { JOB } from "./plain-search.js";

function run(text: string, more: Partial<GrepJob>): GrepResult {
  const result = scan({ ...JOB, source: { bytes: Buffer.from(text) }, ...more });
  if (result.unreadable !== undefined) throw new Error(result.unreadable);
  return result;
}

/** Says what a search finds in the plainest way: all lines in memory, one flag each. */
function expected(
  text: string,
  job: Omit<GrepJob, "source">,
): Pick<GrepResult, "lines" | "totalMatches"> {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (text.endsWith("\n") || text === "") lines.pop();
  const flags = lines.map((line) => line.includes(job.pattern) !== job.invert);
  const hits = flags.flatMap((flag, i) => (flag ? [i] : [])).slice(0, job.maxResults);
  const keep = new Set<number>();
  for (const hit of hits) {
    for (let i = hit; i >= Math.max(0, hit - job.before); i -= 1) keep.add(i);
    for (let i = hit + 1; i <= hit + job.after && i < lines.length; i += 1) {
      if (flags[i] === true && !hits.includes(i)) break;
      keep.add(i);
    }
  }
  return {
    lines: [...keep]
      .toSorted((a, b) => a - b)
      .map((i) => ({ lineNumber: i + 1, text: lines[i] ?? "", match: flags[i] === true })),
    totalMatches: flags.filter(Boolean).length,
  };
}

const text = fc
  .array(fc.constantFrom("a", "b", "ab", "é", "東", "😀", " ", "\n", "\n", "\r\n", "\n\n"), {
    maxLength: 80,
  })
  .map((parts) => parts.join(""));

describe("searching", () => {
  it("finds by text and by pattern what splitting all lines finds", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("a", "ab", "é", "😀", "zz"),
        fc.boolean(),
        fc.nat(3),
        fc.nat(3),
        fc.constantFrom(0, 1, 2, Infinity),
        (body, pattern, invert, before, after, maxResults) => {
          const job = { ...JOB, pattern, invert, before, after, maxResults };
          const wanted = expected(body, job);
          expect(run(body, job)).toMatchObject(wanted);
          expect(run(body, { ...job, pattern: `(${pattern})` })).toMatchObject(wanted);
        },
      ),
      { numRuns: 125 },
    );
  });

  it("takes a literal pattern as it stands, heeding case or not", () => {
    const marks = fc.string({ unit: fc.constantFrom(..."a.*\\[](){}|^$?+é".split("")) });
    fc.assert(
      fc.property(fc.array(marks), marks, fc.boolean(), (lines, pattern, ignoreCase) => {
        const body = lines.map((line) => `${line}\n`).join("");
        const totalMatches = lines.filter((line) => line.includes(pattern)).length;
        expect(run(body, { pattern, literal: true, ignoreCase })).toMatchObject({ totalMatches });
      }),
    );
  });
});

describe("what a search counts", () => {
  const pattern = fc.constantFrom("a", "ab", "é", "😀", "aa");

  it("is every occurrence, found by text or by pattern, listed or not", () => {
    fc.assert(
      fc.property(text, pattern, fc.constantFrom(0, 1, Infinity), (body, pattern, maxResults) => {
        const totalOccurrences = body.split(pattern).length - 1;
        expect(run(body, { pattern, maxResults })).toMatchObject({ totalOccurrences });
        expect(run(body, { pattern: `(${pattern})`, maxResults })).toMatchObject({
          totalOccurrences,
        });
      }),
    );
  });

  it("is each text once: their counts are all occurrences, and each stands where it is said to", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("[ab]+", "é|😀", "."), (body, pattern) => {
        const { texts, totalOccurrences, lines } = run(body, { pattern, onlyMatching: true });
        const listed = texts?.listed ?? [];
        expect(lines).toEqual([]);
        expect(listed.reduce((sum, { count }) => sum + count, 0)).toBe(totalOccurrences);
        expect(new Set(listed.map(({ text }) => text)).size).toBe(texts?.total);
        for (const { text, lineNumber } of listed)
          expect(body.split("\n")[lineNumber - 1]).toContain(text);
      }),
    );
  });

  it("shows at most what is allowed, a true part of the line, with the beginning of the hit", () => {
    const line = fc.array(fc.constantFrom("a", "é", "😀", "東"), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        line,
        fc.nat(59),
        fc.nat(10),
        fc.integer({ min: 4, max: 30 }),
        (units, from, length, max) => {
          const whole = units.join("");
          const start = units.slice(0, from).join("").length;
          const end = units.slice(0, from + length).join("").length;
          const { text, cut } = excerptLine(whole, { start, end }, max);
          expect(text.length).toBeLessThanOrEqual(max);
          expect(text.isWellFormed()).toBe(true);
          expect(whole).toContain(text);
          expect(text).toContain(Array.from(whole.slice(start, end))[0] ?? "");
          expect(cut === undefined).toBe(whole.length <= max);
          if (cut === undefined) return;
          expect(cut.lineLength).toBe(Array.from(whole).length);
          expect(Array.from(whole).slice(0, cut.character).join("")).toBe(whole.slice(0, start));
        },
      ),
    );
  });
});
