import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { beforeEach, describe, expect, it } from "vitest";

import { readJournal } from "../../../src/plugins/journal/index.js";
import { journalDirectories } from "./entries.js";

const CHILD = fileURLToPath(new URL("full-disk-child.ts", import.meta.url));
const makeDirectory = journalDirectories();
let directory = "";
beforeEach(() => {
  directory = makeDirectory();
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
    expect(writeUnder(0, tries)).toBeLessThanOrEqual(2);
    expect(readdirSync(directory)).toEqual([before]);
  });

  it("tears no line of a segment, and loses no entry uncounted", async () => {
    expect(writeUnder(8, [2, 10, 0, 10, 1])).toBeLessThanOrEqual(2);
    const reader = readJournal(directory);
    const { lostEntries, skippedLines } = await reader.losses();
    expect(skippedLines).toBe(0);
    expect((await reader.session("s"))?.entries).toBe(23 - lostEntries);
    expect(lostEntries).toBe(20);
  });
});
