import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const CHILD = fileURLToPath(new URL("full-disk-child.ts", import.meta.url));
let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Writes in a process whose files may have so many blocks, which stands for a disk that has no more. */
function writeUnder(blocks: number, batches: readonly number[]): unknown {
  const script = `ulimit -f ${blocks} && exec "$0" --import tsx "$@"`;
  const args = ["-c", script, process.execPath, CHILD, directory, ...batches.map(String)];
  const env = { ...process.env, TSX_DISABLE_CACHE: "1" };
  return JSON.parse(execFileSync("sh", args, { encoding: "utf8", env }));
}

describe("a full disk", () => {
  it("leaves what was written before, and no segment of its own, however often a write fails", () => {
    const before = "journal-0000000000001-1-aaaaaaaa-000000.jsonl";
    writeFileSync(join(directory, before), "{}\n");
    const tries = Array.from({ length: 600 }, () => 1);
    expect(writeUnder(0, tries)).toEqual({ failed: 600, most: 2 });
    expect(readdirSync(directory)).toEqual([before]);
  });

  it("tears no line of a segment, which is gone on with", () => {
    expect(writeUnder(8, [1, 10, 0, 10, 10])).toEqual({ failed: 3, most: 1 });
    const [segment = ""] = readdirSync(directory);
    const lines = readFileSync(join(directory, segment), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(new Set(lines)).toEqual(new Set(["x".repeat(999)]));
  });
});
