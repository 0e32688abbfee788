import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import type { GrepJob, GrepReply } from "../../src/drill-in/grep-job.js";
import { listFound } from "../../src/drill-in/grep-rows.js";
import { scan } from "../../src/drill-in/grep-scan.js";
import { ripgrepPath } from "../../src/drill-in/ripgrep-path.js";
import { createRipgrepSearch } from "../../src/drill-in/ripgrep-search.js";
import { surveySource } from "../../src/drill-in/source-survey.js";

const executable = await ripgrepPath();
if (executable === undefined) console.warn("skipped: @vscode/ripgrep has no binary here");

const folder = mkdtempSync(join(tmpdir(), "ripgrep-"));
afterAll(() => rmSync(folder, { recursive: true }));

const search = createRipgrepSearch({
  executable: executable ?? "",
  minBytes: 0,
  minPlainBytes: 0,
  maxProcesses: 2,
  survey(job) {
    const reply = surveySource(job);
    return Promise.resolve(reply.ok ? reply.survey : undefined);
  },
});

const HEADER = '{"_meta":"a header"}\n';
const PLAIN: Omit<GrepJob, "source"> = {
  encoding: "utf-8",
  pattern: "a",
  literal: false,
  ignoreCase: false,
  invert: false,
  before: 0,
  after: 0,
  maxResults: Infinity,
  maxOutputBytes: 1e6,
  maxLineCharacters: 500,
  firstLineNumber: 2,
  maxLineBytes: 32 * 1024 * 1024,
  softTimeoutMs: 60_000,
};

let files = 0;
function jobOver(body: Buffer, more: Partial<GrepJob>): GrepJob {
  files += 1;
  const path = join(folder, `${files}.txt`);
  writeFileSync(path, Buffer.concat([Buffer.from(HEADER), body]));
  const source = { path, start: HEADER.length, end: HEADER.length + body.length };
  return { ...PLAIN, source, ...more };
}

async function byRipgrep(job: GrepJob): Promise<GrepReply | undefined> {
  const bounds = { deadlineMs: performance.now() + 30_000, signal: new AbortController().signal };
  const found = await search(job, bounds);
  return found && listFound(job, found);
}

/** Whether ripgrep took the job; what it found must be what the workers find. */
async function agrees(job: GrepJob): Promise<boolean> {
  const found = await byRipgrep(job);
  if (found !== undefined) expect(found).toEqual(scan(job));
  return found !== undefined;
}

const PATTERNS = [
  "a",
  "b a",
  "error",
  "-b",
  "--version",
  "^a",
  "b$",
  "^$",
  "^",
  "x*",
  ".",
  "..b",
  "a.*b",
  "(a|b)+c",
  "(?:ab){2}",
  "a{2,}",
  "a{1,3}b",
  "b??a",
  "[ab]c",
  "[^a]",
  "[a-c]+$",
  "[]a]",
  "[^a-z ]",
  "[\\w-]+:",
  "[\\d.]+",
  "\\d+",
  "\\D\\w",
  "\\s$",
  "\\S\\s\\S",
  "\\W",
  "\\ba",
  "b\\b",
  "\\.",
  "\\[a\\]",
  "\\t",
  "é",
  "[à-ü]",
  "東.",
  "😀+",
  "(a|)",
  "()b",
  "k",
  "s+",
  "[k-t]",
  "[^k]",
  "\\w+",
  "a&&b",
  "[a&&b]",
  "[a~~b]",
  "#a b",
  "a/b",
  '"',
  "�",
];

const PARTS = [
  "a",
  "b",
  "c",
  "ab",
  "A",
  "K",
  "s",
  "k",
  "\u212A",
  "\u017F",
  "é",
  "É",
  "東",
  "😀",
  " ",
  "\t",
  "-",
  ".",
  "[a]",
  "0",
  "42",
  "error:",
  "x",
  "&",
  "~",
  "/",
  '"',
  "\u00a0",
  "\u000b",
  "\f",
  "\0",
  "\ufeff",
  "\u2028",
  "�",
];
const ENDS = ["\n", "\n", "\n", "\n\n"];
const ROUGH = ["\r\n", "\r", "\n"];

const bodyOf = (parts: readonly string[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.constantFrom(...parts, ...parts.slice(0, 8), ...ENDS, ...ENDS), { maxLength: 120 })
    .map((all) => Buffer.from(all.join("")));

const how = fc.record({
  ignoreCase: fc.boolean(),
  literal: fc.boolean(),
  invert: fc.boolean(),
  before: fc.nat(2),
  after: fc.nat(2),
  maxResults: fc.constantFrom(0, 1, 2, 5, Infinity, Infinity),
  maxOutputBytes: fc.constantFrom(40, 200, 1e6),
  maxLineCharacters: fc.constantFrom(5, 500),
});

describe.skipIf(executable === undefined)("searching by ripgrep", () => {
  it("finds what the workers find, for every pattern that it takes", async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(
        bodyOf(PARTS),
        fc.constantFrom(...PATTERNS),
        how,
        async (body, pattern, more) => {
          if (await agrees(jobOver(body, { pattern, ...more }))) taken += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(300);
  });

  it("finds what the workers find for generated patterns", async () => {
    let taken = 0;
    const atom = fc.constantFrom(
      "a",
      "b",
      "K",
      "s",
      ".",
      "[ab]",
      "[^b]",
      "\\w",
      "\\d",
      "\\s",
      "é",
      "\\b",
      "^",
      "$",
      "\\W",
    );
    const repeated = fc
      .tuple(atom, fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "*?"))
      .map((two) => two.join(""));
    const { tree } = fc.letrec<{ tree: string; group: string }>((tie) => ({
      tree: fc
        .array(fc.oneof({ depthSize: "small" }, repeated, tie("group")), {
          minLength: 1,
          maxLength: 4,
        })
        .map((all) => all.join("")),
      group: fc.tuple(tie("tree"), tie("tree")).map(([one, two]) => `(${one}|${two})`),
    }));
    await fc.assert(
      fc.asyncProperty(bodyOf(PARTS), tree, how, async (body, pattern, more) => {
        if (await agrees(jobOver(body, { pattern, ...more, literal: false }))) taken += 1;
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  it("finds what the workers find among returns and bytes that are no text, or leaves it to them", async () => {
    let taken = 0;
    const bytes = fc
      .array(
        fc.oneof(
          fc.constantFrom(...PARTS, ...ROUGH).map((part) => Buffer.from(part)),
          fc.uint8Array({ maxLength: 3 }),
        ),
        { maxLength: 60 },
      )
      .map((parts) => Buffer.concat(parts));
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...PATTERNS), how, async (body, pattern, more) => {
        if (await agrees(jobOver(body, { pattern, ...more }))) taken += 1;
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  it("takes plain text among returns, and lines of any length", async () => {
    const long = "y".repeat(200_000);
    const body = Buffer.from(`one\r\n${long}needle${long}\r\ntwo needle\r\nlast needle`);
    expect(await agrees(jobOver(body, { pattern: "needle", before: 1 }))).toBe(true);
    expect(await agrees(jobOver(body, { pattern: "needle$" }))).toBe(false);
    expect(await agrees(jobOver(body, { pattern: "needle", maxLineBytes: 1 }))).toBe(true);
  });

  it("counts everything when the list is full", async () => {
    const body = Buffer.from("a hit\nnone\n".repeat(50_000));
    for (const more of [
      { maxResults: 3, after: 4 },
      { maxOutputBytes: 500, before: 1 },
      { maxResults: 0 },
      { invert: true },
    ]) {
      expect(await agrees(jobOver(body, { pattern: "hit", ...more }))).toBe(true);
    }
  });

  it.each([
    ["\\Bx", {}],
    ["\\pL", {}],
    ["(?i)a", {}],
    ["a**", {}],
    ["[[:alpha:]]", {}],
    ["a{1001}", {}],
    ["(a{100}){100}", {}],
    ["é", { ignoreCase: true }],
    ["a\nb", { literal: true }],
    ["", {}],
    ["a", { encoding: "wtf-8" as const }],
    ["(", {}],
    ["a)", {}],
    ["{", {}],
    ["\\x41", {}],
    ["(?=a)", {}],
  ])("leaves %j to the workers with %j", async (pattern, more) => {
    expect(await byRipgrep(jobOver(Buffer.from("a\n"), { pattern, ...more }))).toBeUndefined();
  });

  it("leaves a file that is gone, changed or a link to the workers", async () => {
    const job = jobOver(Buffer.from("a\n"), {});
    if ("bytes" in job.source) throw new Error("no file");
    const link = join(folder, "link");
    symlinkSync(job.source.path, link);
    expect(
      await byRipgrep({ ...job, source: { ...job.source, path: join(folder, "gone") } }),
    ).toBeUndefined();
    expect(await byRipgrep({ ...job, source: { ...job.source, path: link } })).toBeUndefined();
    expect(
      await byRipgrep({ ...job, source: { ...job.source, end: job.source.end + 1 } }),
    ).toBeUndefined();
    expect(await byRipgrep({ ...job, source: { bytes: Buffer.from("a\n") } })).toBeUndefined();
  });

  it("stops at its time with what it has, and rejects when it is aborted", async () => {
    const job = jobOver(Buffer.from("a\n".repeat(100_000)), { maxResults: 1 });
    const { signal } = new AbortController();
    expect(await search(job, { deadlineMs: performance.now() - 1, signal })).toMatchObject({
      timedOut: true,
    });
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(search(job, { deadlineMs: Infinity, signal: aborted })).rejects.toThrow("enough");
  });
});
