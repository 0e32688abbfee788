import { describe, expect, it } from "vitest";

import { type ModelTool, modelTools } from "../../src/drill-in/model-tools.js";
import { understoodSchema } from "../../src/drill-in/shared/tool-schemas.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";

const SESSION = "s";

const PRESETS: Readonly<Record<string, () => OffloadOptions>> = {
  default: () => ({}),
  lro,
  atlatl,
  mcpagent,
  vectara,
  "meta-cc": metaCc,
};
const FORMS = ["full", "generic", "bare"] as const;

const RECORDS = Array.from({ length: 900 }, (_, n) => ({
  number: n,
  city: `city ${n % 7}`,
  note: n % 3 === 0 ? null : `a note that says ${n}`,
}));
/** Outputs of all layouts; none has a name of an argument in it. */
const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify(RECORDS),
  sets: JSON.stringify({ orders: RECORDS, refunds: RECORDS.slice(0, 400), page: 1 }),
  text: RECORDS.map(({ number, note }) => `ERROR ${number} ${note}`).join("\n"),
  "one line": RECORDS.map(({ note }) => `<item>${note}</item>`).join(""),
};

/** What a model may ask, by the drill-ins' own names: shown or not, right or wrong. */
const QUESTIONS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { pattern: "note", filter: ".", query: "SELECT * FROM output", recipe: 1 },
  { pattern: "note|item", only_matching: true, filter: "inputs", query: "." },
  { pattern: "(?=a)", filter: ".nothing", query: "SELECT nothing FROM output", recipe: 99 },
  {
    pattern: "(",
    filter: "sort_by(.number)",
    slurp: false,
    query: "SELECT FROM",
    params: { a: 1 },
  },
  { pattern: "a", max_results: 2, before: 1, ignore_case: true, case_sensitive: false },
  { pattern: "a", literal: true, filter: "$x", query: "SELECT * FROM b", max_tokens: 300 },
  { pattern: "a", last: 3, filter: ".[0]", limit: 2, skip: 1, max_tokens: 99_999 },
  { pattern: "", filter: "(", start: 5, end: 9000, query: "DROP TABLE output" },
  { pattern: "a", start_line: 2, end_line: 500, filter: ".city", slurp: true, raw: true },
  { pattern: "a", start_line: 99_999, filter: "map(.city)", compact: false },
  { pattern: "a", start_line: 9, end_line: 4, start_character: 7, filter: "group_by(.city)" },
  { start_record: 5, end_record: 400, filter: ".", with: { b: "no id" }, query: "SELECT 1" },
  { start_record: 99_999, pattern: 7, filter: 7, query: 7, start_character: "x" },
  { start_line: 1, start_record: 1, start: 1, filter: "input", invert: true, pattern: "a" },
  { start_line: 1, start_character: 99_999_999, filter: ".city.name", count_only: true },
];

const ALL_TOOLS = ["read", "grep", "jq", "sql", "extract"] as const;
/** Names of arguments that are no word of a sentence. */
const ARGUMENT_WORDS = [
  ...new Set([
    ...ALL_TOOLS.flatMap((tool) => Object.keys(understoodSchema(tool).shape)),
    "case_sensitive",
    "artifact_id",
    "filename",
  ]),
].filter((name) => name.includes("_") || ["slurp", "literal", "invert", "filename"].includes(name));
const TOOL_WORD = /\b(?:\w+_tool_output|lro_extract|artifact_(?:read|grep|jq)|\w+_large_output)\b/g;

function shownOf({ parameters }: ModelTool): readonly string[] {
  return Object.keys(Object(parameters["properties"]));
}

/** Everything that an answer names and that is not there. */
function strangersIn(text: string, tools: readonly ModelTool[], seen: string): readonly string[] {
  const all = new Set(tools.flatMap(shownOf));
  const words = ARGUMENT_WORDS.filter((word) => !all.has(word)).filter((word) =>
    new RegExp(`(?<![\\w.])${word}(?!\\w)`).test(text),
  );
  const names = (text.match(TOOL_WORD) ?? []).filter(
    (name) => !tools.some((tool) => tool.name === name),
  );
  const calls = [...text.matchAll(/\b(\w+) (\{"\w+":.*\})(?= \(|[.,]?$)/gm)].flatMap(
    ([, name, json = ""]) => {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) return [];
      const args: Record<string, unknown> = JSON.parse(json);
      const reference = String(args[shownOf(tool)[0] ?? ""]);
      return [
        ...Object.keys(args).filter((key) => !shownOf(tool).includes(key)),
        ...(seen.includes(reference) ? [] : [reference]),
      ];
    },
  );
  return [...words, ...names, ...calls];
}

/** Answers differ by the tools that a preset has; the forms are looked at where they are the library's own. */
const AGENTS = [
  ...Object.keys(PRESETS).map((preset) => [preset, "auto"] as const),
  ...FORMS.map((form) => ["default", form] as const),
];

describe("an answer names nothing that is not there", () => {
  it.each(AGENTS)("of %s, in the form %s", async (agent, form) => {
    const preset = PRESETS[agent] ?? ((): OffloadOptions => ({}));
    const offloader = createOffloader({
      threshold: { bytes: 100 },
      ...preset(),
      store: memoryStore(),
      describe: { ...preset().describe, form },
    });
    const { toolNames, toolShapes } = offloader.options;
    const tools = modelTools({ ...offloader, toolNames, toolShapes });
    const drillIns = tools.filter(({ name }) => name !== "cleanup_temp_files");
    let calls = 0;
    for (const value of form === "auto" ? Object.values(OUTPUTS) : [JSON.stringify(RECORDS)]) {
      const result = await offloader.offload({ toolName: "search", value, sessionId: SESSION });
      if (result.outcome !== "offloaded") continue;
      const { id } = result.storedArtifact;
      for (const tool of drillIns) {
        const [reference = "id"] = shownOf(tool);
        for (const question of QUESTIONS) {
          const args = { ...question, [reference]: id };
          const { text } = await tool.run(args, scopeOf(SESSION));
          calls += /Next call: /.test(text) ? 1 : 0;
          expect({
            tool: tool.name,
            args,
            strangers: strangersIn(text, drillIns, result.text),
          }).toEqual({ tool: tool.name, args, strangers: [] });
        }
      }
    }
    expect(calls).toBeGreaterThan(0);
    await offloader.close();
  });
});
