import { spawnSync } from "node:child_process";
import { loadJq } from "jq-wasm";
import type { Recipe } from "../../../src/core/types/artifact.js";

/** What a run printed, and what went wrong; `error` is empty when nothing did. */
interface JqRun {
  readonly output: string;
  readonly error: string;
}

export type JqRunner = (recipe: Recipe, lines: readonly string[]) => Promise<JqRun>;

export const hasSystemJq: boolean = spawnSync("jq", ["--version"]).status === 0;

function flagsOf(recipe: Recipe): string[] {
  return [
    "-c",
    ...(recipe.slurp ? ["-s"] : []),
    ...(recipe.raw ? ["-r"] : []),
    ...Object.entries(recipe.params).flatMap(([name, value]) => [
      "--argjson",
      name,
      JSON.stringify(value),
    ]),
  ];
}

/** One recipe that runs all of them with their values in place, so that one process is enough. */
export function allOf(recipes: readonly Recipe[]): Recipe {
  const of = (slurp: boolean): string =>
    recipes
      .filter((recipe) => recipe.slurp === slurp)
      .map((recipe) => `(${recipe.shellFilter ?? recipe.filter})`)
      .concat("empty")
      .join(", ");
  return {
    description: "all",
    filter: `(.[] | ${of(false)}), (${of(true)})`,
    slurp: true,
    raw: false,
    params: {},
  };
}

/** The engine that the package depends on. */
export const runInProcess: JqRunner = async (recipe, lines) => {
  const jq = await loadJq();
  const result = jq.raw(lines.join("\n"), recipe.filter, flagsOf(recipe));
  return { output: result.stdout, error: result.exitCode === 0 ? "" : result.stderr };
};

/** The jq that is installed, an older one as a rule. */
export const runInSystem: JqRunner = (recipe, lines) => {
  const run = spawnSync("jq", [...flagsOf(recipe), recipe.filter], {
    input: lines.join("\n"),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return Promise.resolve({ output: run.stdout, error: run.stderr });
};
