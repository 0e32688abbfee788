import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type ReadEntry, readJournal } from "../../../src/plugins/journal/index.js";

const child = fileURLToPath(new URL("writing-child.ts", import.meta.url));
const mounts = spawnSync("unshare", ["--mount", "--map-root-user", "true"]).status === 0;
let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function begin(session: string): Promise<ChildProcess> {
  const args = ["--import", "tsx", child, directory, session, "endless"];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(started.stdout, "data");
  return started;
}

async function everything(session: string): Promise<ReadEntry[]> {
  const reader = readJournal(directory);
  const found: ReadEntry[] = [];
  for (;;) {
    const { entries } = await reader.entries(session, { from: found.length, limit: 1_000 });
    if (entries.length === 0) return found;
    found.push(...entries);
  }
}

describe("a journal of processes", () => {
  it("is read without a gap when they are killed in the middle of a line, while both write", async () => {
    const both = await Promise.all([begin("one"), begin("two")]);
    for (const session of ["one", "two"])
      await expect
        .poll(async () => (await readJournal(directory).session(session))?.entries)
        .toBeGreaterThan(500);
    const ended = both.map((started) => once(started, "exit"));
    for (const started of both) started.kill("SIGKILL");
    await Promise.all(ended);
    for (const session of ["one", "two"]) {
      const times = (await everything(session)).map(({ at }) => at);
      expect(times.length).toBeGreaterThan(500);
      expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index));
    }
    expect(await readJournal(directory).losses()).toMatchObject({ skippedLines: 0 });
  });

  it.skipIf(!mounts)("loses entries while a disk is full, says how many, and goes on", () => {
    const place = mkdtempSync(join(directory, "full-"));
    const script = `mount -t tmpfs -o size=1m tmpfs "$1" && exec "$0" --import tsx "$2" "$1" s full`;
    const args = ["--mount", "--map-root-user", "sh", "-c", script, process.execPath, place, child];
    const { stdout, status } = spawnSync("unshare", args, { encoding: "utf8" });
    expect(status).toBe(0);
    const told = JSON.parse(stdout) as Record<string, number>;
    expect(told["lostEntries"]).toBeGreaterThan(0);
    // Of a batch that was cut by the full disk some lines are there and counted as lost.
    expect(told["entries"]).toBeGreaterThanOrEqual(2);
    expect((told["entries"] ?? 0) + (told["lostEntries"] ?? 0)).toBeGreaterThanOrEqual(
      told["appended"] ?? NaN,
    );
  });
});
