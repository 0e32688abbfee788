import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { partOfTheDay } from "../of-the-day.js";

const run = promisify(execFile);

it("each fault that is put into the source is found by the test of its rule", async () => {
  // Rejects with the sentences that say which was not.
  const { stdout } = await run("npm", [
    "run",
    "--silent",
    "mutants",
    "--",
    `--part=${partOfTheDay(12)}`,
  ]);
  expect(stdout).toMatch(/^\d{2,} mutants, each killed\.$/m);
}, 600_000);
