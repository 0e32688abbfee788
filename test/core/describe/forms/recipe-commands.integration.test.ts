import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeArtifact } from "../../../../src/core/describe/describe.js";
import { shellQuote } from "../../../../src/util/safe-text.js";
import type { Content } from "../../../../src/core/types/content.js";
import { countTokens, store, valuesContent } from "../fixture.js";
import { hasSystemJq } from "../jq-runners.js";
import { memories } from "../samples.js";

const DIRECTORIES = [
  "plain",
  "with space",
  "it's",
  'dou"ble',
  "$HOME `id` $(id)",
  "new\nline",
  "*?[a]",
  "back\\slash",
  "-dash",
];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "describe-shell-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function runCommands(
  content: Content,
  directory: string,
  operation: string,
  numbers: readonly number[],
): Promise<{ output: string; error: string }[]> {
  mkdirSync(directory, { recursive: true });
  const stored = await store(content, {
    operation,
    directory,
    args: { detail: "full" },
    tokens: 100_000,
  });
  const header = stored.storedArtifact.headerBytes > 0 ? '{"type":"lro_header"}\n' : "";
  writeFileSync(stored.storedArtifact.filePath!, header + new TextDecoder().decode(content.body));
  const { text } = await describeArtifact(
    { ...stored, tools: {}, count: countTokens },
    { form: "full", maxTokens: 10_000 },
  );
  const parsed: { jq_recipes: { command: string }[] } = JSON.parse(text);
  const recipes = parsed.jq_recipes;
  return numbers.map((number) => {
    const { command } = recipes[number - 1]!;
    const run = spawnSync("sh", ["-c", command], { encoding: "utf8", cwd: "/" });
    return { output: run.stdout, error: run.stderr };
  });
}

describe("quoting for a shell", () => {
  it.each([...DIRECTORIES, "", "'", "''", "a'b'c", "$&", "$'"])("keeps %j one word", (text) => {
    const run = spawnSync("sh", ["-c", `printf %s ${shellQuote(text)}`], { encoding: "utf8" });
    expect(run.stdout).toBe(text);
  });
});

// Without a jq on the machine there is nothing that could run these commands.
describe.runIf(hasSystemJq)("recipes as shell commands", () => {
  it.each(DIRECTORIES)("run on memories in the directory %j", async (name) => {
    const content = valuesContent(memories(30, "full"));
    const runs = await runCommands(content, join(root, name), "recall", [1, 5, 9]);
    for (const { error } of runs) expect(error).toBe("");
    // Every third is semantic, less those of them whose type is null.
    const semantic = memories(30, "full").filter((memory) => memory["memory_type"] === "semantic");
    expect(runs[1]!.output.split("\n{").length).toBe(semantic.length);
  });
});
