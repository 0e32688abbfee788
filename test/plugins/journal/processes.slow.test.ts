import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { readJournal } from "../../../src/plugins/journal/index.js";
import { everything } from "./entries.js";
import { newDirectory } from "../../after-file.js";

const child = fileURLToPath(new URL("writing-child.ts", import.meta.url));
const directory = newDirectory();

async function begin(session: string): Promise<ChildProcess> {
  const args = ["--import", "tsx", child, directory, session];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(started.stdout, "data");
  return started;
}

it("a journal of processes is read without a gap when they are killed in the middle of a line, while both write", async () => {
  const both = await Promise.all([begin("one"), begin("two")]);
  for (const session of ["one", "two"])
    await expect
      .poll(async () => (await readJournal(directory).session(session))?.entries)
      .toBeGreaterThan(500);
  const ended = both.map((started) => once(started, "exit"));
  for (const started of both) started.kill("SIGKILL");
  await Promise.all(ended);
  for (const session of ["one", "two"]) {
    const times = (await everything(directory, session)).map(({ at }) => at);
    expect(times.length).toBeGreaterThan(500);
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index));
  }
  expect(await readJournal(directory).losses()).toMatchObject({ skippedLines: 0 });
});
