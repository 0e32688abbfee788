import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createMeasure } from "../../src/core/measure/measure.js";
import { fileStore } from "../../src/core/store/file/index.js";
import type { DetailLevel } from "../../src/core/types/artifact.js";
import { newDirectory } from "../after-file.js";
import {
  artifactOf,
  call,
  type CallOptions,
  DETAILS,
  memories,
  type OffloadResponse,
  responseOf,
  store,
} from "./offload-call.js";

async function describeAt(
  detail: DetailLevel,
  options: CallOptions = {},
): Promise<OffloadResponse> {
  return responseOf(await call(memories(60, detail), { args: { detail }, ...options }));
}

const LIGHT = "id memory_type title namespace tags status created modified content";
const MEDIUM = `${LIGHT} summary`;
const MORE = "entities relationships wiki_links embedding temporal extensions blocks citations";
/** Of a memory at each level: LRO specification, Memory Lines. */
const FIELDS: Readonly<Record<DetailLevel, string>> = {
  light: LIGHT,
  medium: `${MEDIUM} confidence`,
  full: `${MEDIUM} provenance ${MORE}`,
};

/** Fields of the record that a filter reads. */
function fieldsIn(command: string): string[] {
  const filter = command.slice(command.indexOf("jq "));
  const read = [...filter.matchAll(/(?<![\w\])"])\.([a-z_]+)/g)].map(([, name]) => name ?? "");
  const short = [...filter.matchAll(/\{([a-z_, ]+)\}/g)].flatMap(([, names]) =>
    (names ?? "").split(", "),
  );
  return [...read, ...short];
}

/** What `lro_extract` answers to recipes, from one on, over memories that come latest first. */
async function answersAt(detail: DetailLevel, first: number): Promise<unknown[]> {
  const options = { drillIn: { maxAnswerTokens: 200_000 } };
  const latest = { value: memories(60, detail).toReversed() };
  const { artifact, extract } = await store(detail, options, latest);
  const answers: unknown[] = [];
  for (const [index, { params, raw }] of artifact.recipes.entries()) {
    if (index + 1 < first) continue;
    const given = Object.entries(GIVEN).filter(([name]) => Object.hasOwn(params, name));
    const { text } = await extract({ recipe: index + 1, params: Object.fromEntries(given) });
    const lines = text.replace(/\n\d+ results?\.\s*$/, "").split("\n");
    answers.push(raw ? lines : lines.flatMap((line) => JSON.parse(line)));
  }
  return answers;
}

const GIVEN = {
  namespace: "_episodic",
  keyword: "CACHE",
  memory_type: "procedural",
  tag: "cache",
  pattern: "NIGHTLY import",
  limit: 60,
};

type Texts = Readonly<Record<"id" | "title" | "namespace" | "memory_type" | "content", string>>;
interface Memory extends Texts {
  readonly tags: readonly string[];
  readonly confidence?: number;
  readonly provenance?: { readonly confidence: number };
}

/** The same, worked out here. */
function expectedAt(detail: DetailLevel): unknown[] {
  const set = memories(60, detail).toReversed() as unknown as Memory[];
  const sorted = (values: readonly string[]): string[] => [...new Set(values)].toSorted();
  const countBy = (name: "namespace" | "memory_type"): unknown[] =>
    sorted(set.map((memory) => memory[name])).map((value) => ({
      [name]: value,
      count: set.filter((memory) => memory[name] === value).length,
    }));
  const confidence = (memory: Memory): number =>
    memory.provenance?.confidence ?? memory.confidence ?? 0;
  return [
    set.map(({ title, namespace }) => `${title}\t${namespace}`),
    set.filter(({ namespace }) => namespace.startsWith("_episodic")),
    set.filter(({ title }) => title.includes("cache")),
    set.map(({ id, title, namespace }) => ({ id, title, namespace })),
    set.filter(({ memory_type: type }) => type === "procedural"),
    countBy("namespace"),
    set.filter(({ tags }) => tags.includes("cache")),
    set.toReversed(),
    ...(detail === "light"
      ? [sorted(set.map(({ namespace }) => namespace)), countBy("memory_type")]
      : [
          set.toSorted((one, other) => confidence(other) - confidence(one)),
          set.filter(({ content }) => content.includes("nightly import")),
        ]),
  ];
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
      const fields = FIELDS[detail].split(" ");
      expect(fields).toEqual(expect.arrayContaining(Object.keys(memory ?? {})));
      for (const { command } of (await describeAt(detail)).jq_recipes) {
        const read = fieldsIn(command);
        expect(read.length).toBeGreaterThan(0);
        expect(fields).toEqual(expect.arrayContaining(read));
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

  it("37 the first eight ask the same at every level, and the last two what the level has", async () => {
    const firstEight = DETAILS.map(async (detail) => {
      const { file_path, jq_recipes: recipes } = await describeAt(detail);
      return recipes.slice(0, 8).map((recipe) => ({
        ...recipe,
        command: recipe.command.replace(file_path, "file"),
      }));
    });
    const [light, medium, full] = await Promise.all(firstEight);
    expect(light).toHaveLength(8);
    expect(medium).toEqual(light);
    expect(full).toEqual(light);
    expect(await answersAt("light", 1)).toEqual(expectedAt("light"));
    expect(await answersAt("medium", 9)).toEqual(expectedAt("medium").slice(8));
    expect(await answersAt("full", 9)).toEqual(expectedAt("full").slice(8));
  });

  it("38 MAY the bare form leaves the recipes out", async () => {
    const response = await describeAt("light", { describe: { form: "bare" } });
    expect(Object.keys(response)).toEqual(["offloaded", "summary", "file_path", "guidance"]);
  });

  it("39 SHOULD the full library is there unless another form is asked for", async () => {
    const { jq_recipes: recipes } = await describeAt("medium");
    expect(recipes.filter(({ description }) => description !== "")).toHaveLength(10);
    expect(new Set(recipes.map(({ command }) => command)).size).toBe(10);
  });
});

describe("guidance", () => {
  it("40 MUST there is short guidance that leads on, with the extraction tool and without", async () => {
    const ways = [
      [{ names: { extract: "lro_extract" } }, "the `lro_extract` tool"],
      [{ names: { extract: false } }, "jq_tool_output(id=file_path"],
      [false, "jq recipes above"],
    ] as const;
    for (const [drillIn, way] of ways) {
      for (const detail of DETAILS) {
        const { offloaded, guidance } = await describeAt(detail, { drillIn });
        expect(offloaded).toBe(true);
        expect(guidance).toContain(way);
        expect((await createMeasure().count(guidance)).tokens).toBeLessThan(400);
      }
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
    for (const drillIn of [{ names: { extract: "lro_extract" } }, {}, false] as const) {
      for (const detail of DETAILS) {
        // With room for the template, and without.
        for (const maxTokens of [3000, 1300]) {
          const { guidance } = await describeAt(detail, { drillIn, describe: { maxTokens } });
          expect(guidance).toMatch(/^Results offloaded/);
          expect(guidance).not.toMatch(/\b(must|shall|required|always|never|have to)\b/i);
        }
      }
    }
  });
});
