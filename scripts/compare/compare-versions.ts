import { spawn } from "node:child_process";
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { type Difference, differences } from "./differences.js";
import { BadInput, unpack, workFolder } from "./packages.js";
import { type CorpusName, scenariosOf } from "./scenarios.js";
import type { Told } from "./told.js";

const RUN = fileURLToPath(new URL("run-side.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs two packed versions beside each other, each in a process of its own, and compares what they tell. */
export async function compareVersions(
  a: string,
  b: string,
  corpora: readonly CorpusName[],
): Promise<{ readonly scenarios: number; readonly found: readonly Difference[] }> {
  const work = workFolder();
  const places = [unpackInto(a, "a"), unpackInto(b, "b")];
  function unpackInto(tarball: string, side: string): string {
    try {
      return unpack(tarball, join(work, side));
    } catch (error) {
      rmSync(work, { recursive: true });
      throw error;
    }
  }
  try {
    // What they need is fetched once, before both ask for it.
    if (corpora.includes("real")) await scenariosOf("real");
    const sides = places.map((place, index) => ({ place, told: join(work, `${index}.ndjson`) }));
    await Promise.all(
      sides.map(async ({ place, told }, index) => {
        const version = [a, b][index] ?? "";
        await runSide(version, [place, told, join(work, `work-${index}`), ...corpora]);
      }),
    );
    return await readBoth(sides.map(({ told }) => told));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function runSide(version: string, args: readonly string[]): Promise<void> {
  // Names of temporary files are the same on both sides.
  const [, , work = ""] = args;
  mkdirSync(work);
  const env = { ...process.env, TZ: "UTC", TMPDIR: work };
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--max-old-space-size=2048", RUN, ...args],
    { cwd: ROOT, env, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-2_000);
  });
  const code = await new Promise((resolve) => {
    child.once("close", resolve);
  });
  if (code === 0) return;
  const reason = said.split("\n").find((line) => /^\w*Error/.test(line)) ?? said.slice(-500);
  throw new BadInput(
    `${version} cannot be run: ${reason.trim() || `it ended with ${String(code)}`}`,
  );
}

/** Line by line, so that only one scenario of each side is in memory. */
async function readBoth(
  files: readonly string[],
): Promise<{ readonly scenarios: number; readonly found: readonly Difference[] }> {
  const [left, right] = files.map((file) =>
    createInterface({ input: createReadStream(file) })[Symbol.asyncIterator](),
  );
  const found: Difference[] = [];
  for (let scenarios = 0; ; scenarios += 1) {
    const [one, other] = await Promise.all([left?.next(), right?.next()]);
    if (one?.done !== false || other?.done !== false) return { scenarios, found };
    if (one.value === other.value) continue;
    const [a, b] = [JSON.parse(one.value) as Told, JSON.parse(other.value) as Told];
    found.push(...differences(a.name ?? "", a, b));
  }
}
