import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const execute = promisify(execFile);
const REQUESTS = fileURLToPath(new URL("requests.ts", import.meta.url));

it("a middleware that is made for each request goes with it, and what it stored is removed and told all the same", async () => {
  const args = ["--expose-gc", "--import", "tsx", REQUESTS];
  const { stdout } = await execute(process.execPath, args);
  const { left, expired }: { left: number; expired: number } = JSON.parse(stdout);
  expect(expired).toBe(12);
  // Whatever ran last may still be about the last of them.
  expect(left).toBeLessThanOrEqual(3);
}, 60_000);
