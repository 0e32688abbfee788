import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  createGrepEngine,
  type GrepEngine,
  type GrepQuery,
  type GrepResult,
} from "../../../../src/core/engines/grep/engine.js";
import { PLAIN } from "./plain-search.js";
import { countTurns } from "../../../count-turns.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";
import { newDirectory } from "../../../after-file.js";

/** No pattern needs so long, however busy the machine is. */
const engine = createGrepEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 60_000 });
const folder = newDirectory();
afterAll(() => engine.close());

const EVIL = `${`${"a".repeat(40)}!\n`.repeat(50)}${"a".repeat(200_000)}!\n`;

async function grep(
  pattern: string,
  more: Partial<GrepQuery> = {},
  own: GrepEngine = engine,
): Promise<GrepResult> {
  const source = { bytes: Buffer.from(EVIL) };
  return await own.run({ ...PLAIN, source, pattern, maxOutputBytes: 10_000, ...more });
}

describe("grep", () => {
  it("reads a range of a file and finds a hit in one line of 10 MB", async () => {
    const path = join(folder, "one-line.json");
    const body = `[${'"padding",'.repeat(1_000_000)}"needle"]`;
    writeFileSync(path, `header\n${body}`);
    const source = { path, start: 7, end: 7 + body.length };
    const result = await grep("needle", { source });
    expect(result).toMatchObject({
      totalMatches: 1,
      lines: [{ lineNumber: 1, cut: { lineLength: body.length } }],
    });
  });

  it("says which line is too long, and rejects when the file is gone", async () => {
    const source = { bytes: Buffer.alloc(40 * 1024 * 1024, "x") };
    source.bytes[1] = 10;
    expect(await grep("x", { source })).toMatchObject({
      error: expect.stringContaining("Line 2 is longer"),
      totalMatches: 1,
    });
    // D11: the line is named right also by who only counts.
    const later = { bytes: Buffer.concat([Buffer.from("x\n".repeat(5000)), source.bytes]) };
    for (const more of [{ maxResults: 1 }, { maxResults: 0 }, { skip: 3 }]) {
      const { error } = await grep("x", { source: later, ...more });
      expect(error).toContain("Line 5002 is longer");
    }
    const gone = { path: join(folder, "gone"), start: 0, end: 1 };
    await expect(grep("x", { source: gone })).rejects.toMatchObject({ code: "STORE_READ_FAILED" });
  });
});

describe("a pattern costs no more than its limits", () => {
  it.each([
    ...String.raw`(a+)+$ (a|aa)+$ (.*)*b ^(([a-z])+.)+[A-Z]([a-z])+$ (a?){100}a{100}$ (\w+\s?)+END$`.split(
      " ",
    ),
    ".*.*.*.*.*.*.*=",
    "(a{0,30}){0,30}b",
  ])("%s", async (pattern) => {
    const result = await grep(pattern);
    expect(result).toMatchObject({ totalMatches: 0, timedOut: false });
    expect((await grep("!")).totalMatches).toBe(51);
  });

  it.each([
    ...String.raw`a{1000000} ((a{100}){100}){100} (?=a) (?<!a)b (a)\1 (?>a) ( ) [ [z-a] * a\ \C( (?P<n>
      \p{NoSuchScript} (?R) (*LIMIT_MATCH=1)`.split(/\s+/),
    "(".repeat(1000),
  ])("%s is refused with a message", async (pattern) => {
    const result = await grep(pattern);
    expect(result).toMatchObject({ lines: [], totalMatches: 0 });
    expect(result.error).toMatch(/^Invalid pattern: .+/);
  });

  it("takes a pattern of the longest length", async () => {
    expect((await grep("a".repeat(1000))).error).toBeUndefined();
  });

  it("keeps what it has found when the time is over", async () => {
    const bytes = Buffer.from(`${"ab ".repeat(30)}\n`.repeat(600_000));
    const ask = async (timeoutMs: number): Promise<GrepResult> => {
      const own = createGrepEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs });
      const result = await grep("(a|b| )*(b|a| ){20,60}[a-c ]+$", { source: { bytes } }, own);
      await own.close();
      return result;
    };
    let timeoutMs = 250;
    let result = await ask(timeoutMs);
    // A busy machine finds nothing in so short a time.
    while (result.totalMatches === 0) result = await ask((timeoutMs *= 2));
    expect(result.timedOut).toBe(true);
    expect(result.totalMatches).toBeLessThan(600_000);
  });

  it("does not block the event loop, with 60 MB of bytes neither", async () => {
    const bytes = Buffer.alloc(60 * 1024 * 1024, "line of text\n");
    await grep("warm");
    const counted = countTurns();
    await grep("absent", { source: { bytes } });
    counted.stop();
    // A slice of it is copied at a time.
    expect(counted.turns()).toBeGreaterThan(12);
  });

  it.each(["\u0000", "￿", "\u{d800}", ..."$&~${HOME}~`id`~'; drop~\\x{10FFFF}~\n~\r".split("~")])(
    "%j is searched for or refused, and nothing else",
    async (pattern) => {
      for (const literal of [true, false]) {
        const result = await grep(pattern, {
          literal,
          source: { bytes: Buffer.from("a\n\0\nb\n") },
        });
        expect(result.timedOut).toBe(false);
        expect(result.totalMatches).toBe(pattern === "\0" ? 1 : 0);
      }
    },
  );
});
