import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { MEMORY_SCHEMAS } from "../../src/content/mif/memory-schema.js";
import { fileStore } from "../../src/store/file/index.js";
import type { DetailLevel } from "../../src/types/artifact.js";
import {
  artifactOf,
  call,
  type CallOptions,
  memories,
  newDirectory,
  type OffloadResponse,
  responseOf,
} from "./walk.js";

const DETAILS: readonly DetailLevel[] = ["light", "medium", "full"];
const hasJq = spawnSync("jq", ["--version"]).status === 0;
if (!hasJq) console.warn("There is no jq here: recipes are not run as commands.");

async function describeAt(
  detail: DetailLevel,
  options: CallOptions = {},
): Promise<OffloadResponse> {
  return responseOf(await call(memories(60, detail), { args: { detail }, ...options }));
}

/** Fields of the record that a filter reads. */
function fieldsIn(command: string): string[] {
  const filter = command.slice(command.indexOf("jq "));
  const read = [...filter.matchAll(/(?<![\w\])"])\.([a-z_]+)/g)].map(([, name]) => name ?? "");
  const short = [...filter.matchAll(/\{([a-z_, ]+)\}/g)].flatMap(([, names]) =>
    (names ?? "").split(", "),
  );
  return [...read, ...short];
}

describe("recipes", () => {
  it("31 MUST there are exactly ten, at every level", async () => {
    for (const detail of DETAILS) expect((await describeAt(detail)).jq_recipes).toHaveLength(10);
  });

  it("32 MUST the real path stands in each command, quoted for a shell", async () => {
    const directory = join(newDirectory(), "it's a $HOME\ndirectory");
    mkdirSync(directory);
    const response = await describeAt("full", { store: fileStore({ directory }) });
    const quoted = `'${response.file_path.replaceAll("'", String.raw`'\''`)}'`;
    expect(response.file_path.startsWith(directory)).toBe(true);
    for (const { command } of response.jq_recipes) expect(command).toContain(quoted);
  });

  it("33 every command skips the header line with tail", async () => {
    for (const { command } of (await describeAt("medium")).jq_recipes) {
      expect(command).toMatch(/^tail -n \+2 '.*' \| jq /s);
    }
  });

  it("34 MUST recipes read only fields that the level has", async () => {
    for (const detail of DETAILS) {
      const [memory] = memories(1, detail);
      expect(MEMORY_SCHEMAS[detail].safeParse(memory).success).toBe(true);
      for (const { command } of (await describeAt(detail)).jq_recipes) {
        const read = fieldsIn(command);
        expect(read.length).toBeGreaterThan(0);
        for (const field of read) expect(Object.keys(memory ?? {})).toContain(field);
      }
    }
  });

  it("35 MUST NOT a recipe read a score", async () => {
    for (const detail of DETAILS) {
      const commands = (await describeAt(detail)).jq_recipes.map(({ command }) => command);
      expect(commands.join("\n")).not.toContain("score");
    }
  });

  it("36 MUST confidence is read where the level has it, and nowhere at light", async () => {
    const commandsOf = async (detail: DetailLevel): Promise<string> =>
      (await describeAt(detail)).jq_recipes.map(({ command }) => command).join("\n");
    expect(await commandsOf("full")).toContain(".provenance.confidence");
    expect(await commandsOf("medium")).toMatch(/[^e]\.confidence/);
    expect(await commandsOf("medium")).not.toContain("provenance");
    expect(await commandsOf("light")).not.toContain("confidence");
  });

  it("37 the first eight are the same at every level, and the last two follow it", async () => {
    const described = await Promise.all(DETAILS.map(async (detail) => describeAt(detail)));
    const [light, medium, full] = described.map(({ jq_recipes }) =>
      jq_recipes.map(({ description }) => description),
    );
    expect(medium?.slice(0, 8)).toEqual(light?.slice(0, 8));
    expect(full?.slice(0, 8)).toEqual(light?.slice(0, 8));
    expect(light).toEqual([
      "List titles with namespaces",
      "Filter by namespace prefix",
      "Search titles by keyword",
      "Extract IDs and titles only",
      "Filter by memory type",
      "Count by namespace",
      "Filter by tag",
      "Sort by created date",
      "List unique namespaces",
      "Count by memory_type",
    ]);
    for (const last of [medium, full]) {
      expect(last?.slice(8)).toEqual(["Sort by confidence desc", "Full-text search in content"]);
    }
    if (!hasJq) return;
    for (const { jq_recipes } of described) {
      for (const { command } of jq_recipes) {
        const run = spawnSync("sh", ["-c", command], { encoding: "utf8" });
        expect({ command, error: run.stderr, status: run.status }).toEqual({
          command,
          error: "",
          status: 0,
        });
      }
    }
  });

  it("38 MAY the bare form leaves the recipes out", async () => {
    const response = await describeAt("light", { describe: { form: "bare" } });
    expect(Object.keys(response)).toEqual(["offloaded", "summary", "file_path", "guidance"]);
  });

  it("39 SHOULD the full library is there unless another form is asked for", async () => {
    const { jq_recipes: recipes } = await describeAt("medium");
    expect(recipes.every(({ description, command }) => description !== "" && command !== "")).toBe(
      true,
    );
    expect(new Set(recipes.map(({ command }) => command)).size).toBe(10);
  });
});

describe("guidance", () => {
  it("40 MUST there is guidance, with the extraction tool and without", async () => {
    for (const drillIn of [{}, false] as const) {
      expect((await describeAt("light", { drillIn })).guidance).not.toBe("");
    }
  });

  it("41 SHOULD without an extraction tool it is the template, word for word", async () => {
    const called = await call(memories(60), { drillIn: false, describe: { maxTokens: 3000 } });
    const { filePath = "", tokens } = artifactOf(called);
    expect(responseOf(called).guidance)
      .toBe(`Results offloaded to JSONL (60 memories, ~${tokens} tokens saved).
File: ${filePath}
Detail level: light

Use the jq recipes above to extract specific data. Common patterns:
- Browse: recipe #1 (titles with namespaces)
- Filter: recipe #2 (by namespace) or #3 (by keyword)
- Analyze: recipe #6 (count by namespace)

Read the file directly only if you need the complete dataset.
The header line (line 1) contains metadata; memory objects start at line 2.`);
  });

  it("42 it advises and never orders", async () => {
    for (const drillIn of [{}, false] as const) {
      for (const detail of DETAILS) {
        const { guidance } = await describeAt(detail, { drillIn });
        expect(guidance).not.toMatch(/\b(must|shall|required|always|never|have to)\b/i);
      }
    }
  });
});
