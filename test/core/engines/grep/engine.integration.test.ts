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
