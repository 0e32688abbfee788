import { spawnSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import type { DetailLevel } from "../../src/core/types/artifact.js";
import { DETAILS, memories, store } from "./offload-call.js";

const hasJq = spawnSync("jq", ["--version"]).status === 0;
if (!hasJq) console.warn("There is no jq here: recipes are not compared with it.");

/** Memories among which each recipe finds something with the values that stand in its command. */
function findable(detail: DetailLevel): Record<string, unknown>[] {
  const [first, ...rest] = memories(70, detail);
  const content = detail === "light" ? "" : "A pattern.";
  return [{ ...first, title: "A KeyWord\tin a title", tags: ["TAG"], content }, ...rest];
}

/** Memories of which every seventh lacks fields and every ninth has `null` in them. */
function withGaps(detail: DetailLevel): Record<string, unknown>[] {
  const fields = ["title", "namespace", "memory_type", "tags", "created", "content"];
  const gaps = [...fields, "confidence", "provenance", "temporal", "summary"];
  return findable(detail).map((memory, index) => {
    const rest = Object.entries(memory).flatMap(([name, value]): [string, unknown][] => {
      if (index % 7 === 3 && gaps.includes(name)) return [];
      return [[name, index % 9 === 4 && gaps.includes(name) ? null : value]];
    });
    return Object.fromEntries(rest);
  });
}

const WHOLE = { describe: { maxTokens: 50_000 }, drillIn: { maxAnswerTokens: 200_000 } };

/** What a command prints in a real shell. */
function runShell(command: string): string {
  const run = spawnSync("sh", ["-c", command], { encoding: "utf8", maxBuffer: 1 << 26, cwd: "/" });
  expect([command, run.stderr, run.status]).toEqual([command, "", 0]);
  return run.stdout;
}

/** The JSON values of an answer, without white space between tokens and without our last line. */
function valuesOf(text: string): string[] {
  const input = text.replace(/\n\d+ results?\.\s*$/, "");
  const compact = spawnSync("jq", ["-c", "."], { input, encoding: "utf8" });
  expect(compact.stderr).toBe("");
  return compact.stdout.split("\n").filter((line) => line !== "");
}

// Without a jq on the machine there is nothing to compare with; CI installs it.
describe.skipIf(!hasJq)("recipes by jq in a shell and by lro_extract", () => {
  it.each(
    DETAILS.flatMap((detail) =>
      [findable, withGaps].map((make) => [detail, make.name, make] as const),
    ),
  )("give the same answers over memories at level %s, %s", async (detail, _, make) => {
    const set = make(detail);
    const { response, artifact, extract } = await store(detail, WHOLE, { value: set });
    expect(response.jq_recipes).toHaveLength(10);
    for (const [index, { command }] of response.jq_recipes.entries()) {
      const raw = command.includes("jq -r ") || command.includes("jq -sr ");
      const byShell = runShell(command);
      const { params } = artifact.recipes[index] ?? {};
      const { text: byTool, failed } = await extract({ recipe: index + 1, params });
      expect({ command, failed }).toEqual({ command, failed: false });
      if (raw) expect(byTool.trimEnd()).toContain(byShell.trimEnd());
      else if (byShell === "") expect(byTool).toMatch(/no (output|result|match)/i);
      else expect(valuesOf(byTool)).toEqual(valuesOf(byShell));
    }
  });
});
