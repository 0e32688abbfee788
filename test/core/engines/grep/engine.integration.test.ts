import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  createGrepEngine,
  type GrepQuery,
  type GrepResult,
} from "../../../../src/core/engines/grep/engine.js";
import { PLAIN } from "./plain-search.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";

const engine = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
const folder = mkdtempSync(join(tmpdir(), "grep-engine-"));

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const TEXT = "alpha\nbeta one\ngamma\ndelta one two\nepsilon\nzeta\n";

async function grep(pattern: string, more: Partial<GrepQuery> = {}): Promise<GrepResult> {
  const source = { bytes: Buffer.from(TEXT) };
  return await engine.run({ ...PLAIN, source, pattern, ...more });
}

function shown(result: GrepResult): string[] {
  return result.lines.map((line) => `${line.lineNumber}${line.match ? ":" : "-"}${line.text}`);
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

describe("grep over a large file", () => {
  it("numbers the lines behind the header, and counts all of them", async () => {
    const path = join(folder, "large.txt");
    const body = `${"some words of a line\n".repeat(600_000)}error 42 here\nlast`;
    writeFileSync(path, `header\n${body}`);
    const own = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
    const request = {
      source: { path, start: 7, end: 7 + body.length },
      ...PLAIN,
      pattern: String.raw`err[o]r \d+`,
      before: 1,
      firstLineNumber: 2,
      maxOutputBytes: 1000,
    };
    const result = await own.run(request);
    expect(result.totalMatches).toBe(1);
    expect(shown(result)).toEqual(["600001-some words of a line", "600002:error 42 here"]);
    expect(await own.run({ ...request, pattern: "w[o]rds" })).toMatchObject({
      totalMatches: 600_000,
    });
    await own.close();
    await expect(own.run(request)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });
});
