import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeText } from "../../../src/util/text-encoding.js";
import type { GrepJob, GrepResult } from "../../../src/drill-in/grep/job.js";
import { scan } from "../../../src/drill-in/grep/scan.js";
import { excerptLine } from "../../../src/drill-in/grep/line-excerpt.js";

const JOB: Omit<GrepJob, "source"> = {
  encoding: "utf-8",
  pattern: "a",
  literal: false,
  ignoreCase: false,
  invert: false,
  before: 0,
  after: 0,
  skip: 0,
  last: 0,
  onlyMatching: false,
  maxResults: Infinity,
  maxOutputBytes: 1e9,
  maxLineCharacters: 1e6,
  firstLineNumber: 1,
  maxLineBytes: 1e8,
  softTimeoutMs: 60_000,
};

function run(text: string, more: Partial<GrepJob>): GrepResult {
  const reply = scan({ ...JOB, source: { bytes: Buffer.from(text) }, ...more });
  if (!reply.ok) throw new Error(reply.message);
  return reply.result;
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

  it("does not mind where its blocks end", () => {
    fc.assert(
      fc.property(fc.integer({ min: -40, max: 40 }), fc.nat(3), (shift, context) => {
        const body = `${"x".repeat(1024 * 1024 + shift)}\n`
          .repeat(2)
          .replaceAll("x".repeat(50), `${"x".repeat(49)}\n`);
        const marked = `${body.slice(0, 1024 * 1024 - 20)}a\na${body.slice(1024 * 1024)}`;
        const job = { ...JOB, before: context, after: context };
        const wanted = expected(marked, job);
        expect(run(marked, job)).toMatchObject(wanted);
        expect(run(marked, { ...job, pattern: "[a]" })).toMatchObject(wanted);
      }),
      { numRuns: 12 },
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
        for (const { text, lineNumber, character } of listed) {
          const line = body.split("\n")[lineNumber - 1] ?? "";
          expect(Array.from(line).slice(character).join("").startsWith(text)).toBe(true);
        }
      }),
    );
  });

  it("has the last hits as the end of all, and says how many come before them", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (body, last) => {
        const all = run(body, { pattern: "a" });
        const { lines, skipped, totalMatches } = run(body, { pattern: "a", last });
        expect(lines).toEqual(all.lines.slice(-last));
        expect([totalMatches, skipped]).toEqual([
          all.totalMatches,
          Math.max(0, all.totalMatches - last),
        ]);
      }),
    );
  });

  it("has the context of the last hits as that of the last of all", () => {
    const contexts = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 4 }),
        contexts,
        contexts,
        (body, last, before, after) => {
          const all = run(body, { pattern: "a" }).lines.map(({ lineNumber }) => lineNumber);
          const { lines } = run(body, { pattern: "a", last, before, after });
          const count = body === "" ? 0 : body.replace(/\n$/, "").split("\n").length;
          const near = new Set<number>();
          for (const hit of all.slice(-last)) {
            for (let line = hit - before; line <= hit + after; line += 1) near.add(line);
          }
          const expected = [...near].filter((line) => line >= 1 && line <= count);
          // One that was let go may stand before another: it is context there.
          const hits = lines.filter(({ match }) => match).map(({ lineNumber }) => lineNumber);
          expect(hits).toEqual(all.slice(-last));
          expect(lines.map(({ lineNumber }) => lineNumber)).toEqual(
            expected.toSorted((one, other) => one - other),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("has hits that are passed over as the context of those behind them", () => {
    const contexts = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("a", "[a]"),
        fc.integer({ min: 1, max: 4 }),
        contexts,
        contexts,
        (body, pattern, skip, before, after) => {
          const all = run(body, { pattern }).lines.map(({ lineNumber }) => lineNumber);
          const { lines } = run(body, { pattern, skip, before, after });
          const count = body === "" ? 0 : body.replace(/\n$/, "").split("\n").length;
          const near = new Set<number>();
          for (const hit of all.slice(skip))
            for (let line = hit - before; line <= hit + after; line += 1) near.add(line);
          // The list before may have been cut behind its last hit.
          const last = all[skip - 1] ?? -after;
          for (let line = last + 1; line <= last + after; line += 1) near.add(line);
          const expected = [...near].filter((line) => line >= 1 && line <= count);
          expect(lines.map(({ lineNumber }) => lineNumber)).toEqual(
            expected.toSorted((one, other) => one - other),
          );
          expect(lines.filter(({ match }) => match).map(({ lineNumber }) => lineNumber)).toEqual(
            all.slice(skip),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("begins behind a byte order mark, whose place counts", () => {
    const rows = "\ufeffid,name\n1,\ufeffid\n";
    for (const more of [{ pattern: "^id" }, { pattern: "id", literal: true }, { pattern: "id" }]) {
      const { lines, totalMatches } = run(rows, { ...more, maxLineCharacters: 4 });
      expect(totalMatches).toBe(more.pattern === "^id" ? 1 : 2);
      expect(lines[0]).toMatchObject({ lineNumber: 1, text: "id,n", character: 1, lineLength: 8 });
    }
    const { texts } = run(rows, { pattern: "id|name", onlyMatching: true });
    expect(texts?.listed.map(({ text: found, character }) => [found, character])).toEqual([
      ["id", 1],
      ["name", 4],
    ]);
    expect(run(rows, { pattern: "^id" }).lines).toEqual([
      { lineNumber: 1, text: "\ufeffid,name", match: true },
    ]);
    const behind = { firstLineNumber: 2, pattern: "^id" };
    expect(run("\ufeffid\n", behind).totalMatches).toBe(0);
    expect(run("\ufeff", { pattern: "x", invert: true }).totalMatches).toBe(1);
    expect(run("\ufeff\nx", { pattern: "^$", invert: true }).totalMatches).toBe(1);
  });

  it("finds text in the encoding of the bytes", () => {
    const bytes = Buffer.from("le café\nñandú\nrien\n", "latin1");
    const found = (pattern: string, more: Partial<GrepJob> = {}) =>
      run("", { source: { bytes }, encoding: "latin1", pattern, ...more }).totalMatches;
    expect(["café", "ñ", "é", "漢", "rien"].map((pattern) => found(pattern))).toEqual([
      1, 1, 1, 0, 1,
    ]);
    expect(found("café", { literal: true })).toBe(1);
    const broken = Buffer.concat([
      Buffer.from("a "),
      Buffer.from([0xff]),
      Buffer.from(" b\n\ufffd\n"),
    ]);
    expect(run("", { source: { bytes: broken }, pattern: "\ufffd" }).totalMatches).toBe(2);
  });

  it("lets the first of many last hits go", () => {
    const body = "a\n".repeat(10_000);
    const { lines, skipped } = run(body, { pattern: "a", last: 2500, maxOutputBytes: 13 * 2000 });
    expect(lines.map(({ lineNumber }) => lineNumber)).toEqual(
      Array.from({ length: 2000 }, (_, index) => 8001 + index),
    );
    expect(skipped).toBe(8000);
  });

  it("tells apart no more texts than it may hold", () => {
    const body = Array.from({ length: 30_000 }, (_, n) => `key${n}`).join(" ");
    const { texts, totalOccurrences } = run(body, { pattern: "key\\d+", onlyMatching: true });
    expect([texts?.total, texts?.isAtLeast, totalOccurrences]).toEqual([20_000, true, 30_000]);
  });

  it("is that of the part that is searched", () => {
    const part = { start: 2, end: 6 };
    const result = run("a\na\na\na\n", { part, firstLineNumber: 2 });
    expect(result.lines.map(({ lineNumber }) => lineNumber)).toEqual([2, 3]);
  });
});

describe("cutting a line", () => {
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
          const cut = excerptLine(whole, { start, end }, max);
          expect(cut.text.length).toBeLessThanOrEqual(max);
          expect(cut.text.isWellFormed()).toBe(true);
          expect(whole).toContain(cut.text);
          expect(cut.text).toContain(Array.from(whole.slice(start, end))[0] ?? "");
          expect(cut.character === undefined).toBe(whole.length <= max);
          if (cut.character === undefined) return;
          expect(cut.lineLength).toBe(Array.from(whole).length);
          expect(Array.from(whole).slice(0, cut.character).join("")).toBe(whole.slice(0, start));
        },
      ),
    );
  });
});

describe("searching a text with lone surrogates", () => {
  const text = "first \ud83d cut\nsecond \u{1f600} whole\nthird \udc00\n";
  const source = { bytes: encodeText(text).bytes };
  const linesOf = (more: Partial<GrepJob>): string[] =>
    run("", { source, encoding: "wtf-8", ...more }).lines.map((line) => line.text);

  it.each([false, true])("shows lines as they came, as text or not: %s", (literal) => {
    expect(linesOf({ pattern: "cut", literal })).toEqual(["first \ud83d cut"]);
    expect(linesOf({ pattern: literal ? "third" : "^th.rd", literal })).toEqual(["third \udc00"]);
    expect(linesOf({ pattern: "whole", literal, before: 1 })).toEqual(text.split("\n").slice(0, 2));
  });
});
