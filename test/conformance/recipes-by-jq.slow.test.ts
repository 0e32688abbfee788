import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import { fileStore } from "../../src/core/store/file/index.js";
import type { DetailLevel, StoredArtifact } from "../../src/core/types/artifact.js";
import { foreignSets } from "./foreign-sets.js";
import { memories, newDirectory, newOffloader, type OffloadResponse } from "./offload-call.js";

const DETAILS: readonly DetailLevel[] = ["light", "medium", "full"];
const DIRECTORIES = ["with space", "it's", 'dou"ble', "$HOME `id`", "new\nline"];
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

interface Stored {
  readonly artifact: StoredArtifact;
  readonly response: OffloadResponse;
  readonly extract: (recipe: number) => Promise<string>;
}

async function store(
  value: unknown,
  toolName: string,
  args: Record<string, unknown> = {},
  directory = newDirectory(),
): Promise<Stored> {
  const offloader = newOffloader({
    store: fileStore({ directory }),
    describe: { form: "full", maxTokens: 50_000 },
    drillIn: { maxAnswerTokens: 200_000 },
  });
  const result = await offloader.offload({ toolName, value, args, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error("The output was not offloaded.");
  const { storedArtifact: artifact } = result;
  return {
    artifact,
    response: JSON.parse(result.text),
    extract: async (recipe) => {
      const answer = await offloader.drillIn.run(
        "extract",
        { file_path: artifact.filePath, recipe, params: artifact.recipes[recipe - 1]?.params },
        { sessionKey: artifact.sessionKey },
      );
      if (answer.failed) throw new Error(answer.text);
      return answer.text;
    },
  };
}

/** What a command prints in a real shell. */
function runShell(command: string): string {
  const run = spawnSync("sh", ["-c", command], { encoding: "utf8", maxBuffer: 1 << 26, cwd: "/" });
  expect({ command, error: run.stderr, status: run.status }).toEqual({
    command,
    error: "",
    status: 0,
  });
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
    DETAILS.flatMap(
      (detail) =>
        [
          [detail, "whole"],
          [detail, "with gaps"],
        ] as const,
    ),
  )("give the same answers over memories at level %s, %s", async (detail, kind) => {
    const set = kind === "whole" ? findable(detail) : withGaps(detail);
    const { response, extract } = await store(set, "recall_memories", { detail });
    expect(response.jq_recipes).toHaveLength(10);
    for (const [index, { command }] of response.jq_recipes.entries()) {
      const raw = command.includes("jq -r ") || command.includes("jq -sr ");
      const byShell = runShell(command);
      const byTool = await extract(index + 1);
      if (raw) expect(byTool.trimEnd()).toContain(byShell.trimEnd());
      else if (byShell === "") expect(byTool).toMatch(/no (output|result|match)/i);
      else expect(valuesOf(byTool)).toEqual(valuesOf(byShell));
    }
  });

  it.each(DIRECTORIES)("run in a shell over the directory %j", async (name) => {
    const directory = join(newDirectory(), name);
    mkdirSync(directory);
    const { response } = await store(memories(40), "recall_memories", {}, directory);
    const counted = JSON.parse(runShell(response.jq_recipes[5]?.command ?? ""));
    const total = (counted as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(40);
  });
});

describe("the schema of a line", () => {
  const validatorOf = (response: OffloadResponse): ((line: string) => unknown) => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
      response.line_schema,
    );
    return (line) => {
      validate(JSON.parse(line));
      return validate.errors;
    };
  };
  const dataLines = ({ artifact }: Stored): string[] =>
    readFileSync(artifact.filePath ?? "", "utf8")
      .trimEnd()
      .split("\n")
      .slice(1);

  it.each(DETAILS)("holds for every memory at level %s, gaps included", async (detail) => {
    const stored = await store(withGaps(detail), "recall_memories", { detail });
    const errorsOf = validatorOf(stored.response);
    for (const line of dataLines(stored)) expect(errorsOf(line)).toBeNull();
    expect(errorsOf('{"title":"no id"}')).not.toBeNull();
  });

  it.each(foreignSets)("holds for every line of $name", async ({ toolName, make }) => {
    const stored = await store(make(), toolName);
    const lines = dataLines(stored);
    expect(lines.length).toBe(stored.artifact.recordCount);
    const errorsOf = validatorOf(stored.response);
    for (const line of lines) expect(errorsOf(line)).toBeNull();
    expect(errorsOf("true")).not.toBeNull();
  });

  it("is tested on ten foreign data sets", () => {
    expect(new Set(foreignSets.map(({ name }) => name)).size).toBe(10);
  });
});
