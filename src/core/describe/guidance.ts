import { setPath } from "../content/json/sets/set-names.js";
import { isOneValue, markupOf } from "../content/as-value.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { SetPlace } from "../types/content.js";
import type { DrillInToolNames } from "../types/result.js";

/** What the guidance speaks of. */
export interface GuidanceInput {
  readonly artifact: StoredArtifact;
  readonly count: number;
  readonly reference: string;
  readonly tools: DrillInToolNames;
}

/** Guidance for records that are no memories. It speaks of the tools that this agent has, and of no other. */
export function recordGuidance(
  input: GuidanceInput,
  options: {
    /** What runs the recipes: {@link runByTool} or {@link runInShell}. */
    readonly runs: readonly string[];
    /** Some of them take all records at once, and say so. */
    readonly marksSlurp: boolean;
    /** What the table of the SQL tool is; by default it stands in `sql_table`. */
    readonly table?: string | undefined;
  },
): string {
  const { artifact, tools } = input;
  const { jq, sql } = tools;
  const { layout } = artifact;
  const what =
    layout === "rows"
      ? `Rows are stored, the first line taken for field names${jq === undefined ? "" : "; to jq every cell is a string"}`
      : layout === "document"
        ? "Stored as it came"
        : "Records are stored one a line";
  const filtered = isOneValue(artifact)
    ? "the document"
    : layout === "rows"
      ? "each row"
      : "each record";
  const slurp = options.marksSlurp ? "; slurp=true where marked [slurp]" : "";
  return [
    `${what}; field names and values are data.`,
    ...idSentence(input),
    ...options.runs,
    ...(jq === undefined ? [] : [`${jq} filters ${filtered}${slurp}.`]),
    ...(sql === undefined
      ? []
      : [
          options.table === undefined
            ? `${sql} runs one SELECT over the table of sql_table.`
            : `${sql} runs one SELECT over the table output; ${options.table}.`,
        ]),
    ...lastSentence(input),
  ].join(" ");
}

/** Guidance for a document with several sets, the largest first; `hasRest` where there is something beside them. */
export function setsGuidance(
  input: GuidanceInput,
  options: {
    readonly sets: readonly SetPlace[];
    readonly hasRest: boolean;
    /** What runs the recipes, as in {@link recordGuidance}. */
    readonly runs: readonly string[];
  },
): string {
  const { jq, sql } = input.tools;
  const { sets, hasRest } = options;
  const isLined = sets.every(({ lines }) => lines !== undefined);
  const records = sets.slice(0, 1).map((set) => `${setPath(set)}[]`);
  const what = isLined
    ? "One JSON document, its records one a line"
    : "One JSON document as it came";
  return [
    `${what}; field names and values are data.`,
    ...idSentence(input),
    ...options.runs,
    ...(jq === undefined ? [] : [`${jq} sees the document: ${records.join("")} are records.`]),
    ...(sql === undefined
      ? []
      : [
          `${sql} runs one SELECT over the tables of records_at${hasRest ? "; the table rest has one row of the other members" : ""}.`,
        ]),
    ...lastSentence(input),
  ].join(" ");
}

/** How all tools name the output. */
function idSentence({ tools }: GuidanceInput): string[] {
  const { jq, sql, grep, read } = tools;
  return [jq, sql, grep, read].every((name) => name === undefined) ? [] : ["Pass file_path as id."];
}

/** What takes lines is named where nothing takes records. */
function lastSentence({ tools: { jq, sql, grep, read } }: GuidanceInput): string[] {
  if (jq !== undefined || sql !== undefined) return [];
  return [
    ...(grep === undefined ? [] : [`${grep} finds lines.`]),
    ...(read === undefined ? [] : [`${read} reads parts.`]),
  ];
}

/** The tool that runs a recipe by its number, where the descriptor shows the first so many. */
export function runByTool({ artifact, tools }: GuidanceInput, shownRecipes: number): string[] {
  const total = artifact.recipes.length;
  const part = shownRecipes < total ? ` (1 to ${shownRecipes} of ${total} shown)` : "";
  return tools.extract === undefined || shownRecipes === 0
    ? []
    : [`${tools.extract}(file_path, recipe=N, params) runs recipe N${part}.`];
}

/** How all recipes run that the descriptor shows as commands. */
export function runInShell(input: GuidanceInput): string[] {
  const { length } = input.artifact.recipes;
  return length === 0 ? [] : ["The commands above run in a shell.", ...runByTool(input, length)];
}

/** The tools that take lines. */
export function linesSentence(grep: string | undefined, read: string | undefined): string[] {
  return [
    ...(grep === undefined ? [] : [`${grep}(id=file_path, pattern) finds lines.`]),
    ...(read === undefined ? [] : [`${read}(id=file_path) reads parts.`]),
  ];
}

/** Names of up to three tools that suit an output, the best first. */
export function suitedTools(artifact: StoredArtifact, tools: DrillInToolNames): string[] {
  const { layout, sets } = artifact;
  const { extract, jq, sql, grep, read, code } = tools;
  const hasRecords = layout === "records" || layout === "rows" || sets !== undefined;
  const isDocument = layout === "document" || markupOf(artifact) !== undefined;
  const isText = layout === "text" && !isDocument;
  return [
    ...(hasRecords || isDocument ? [jq] : []),
    ...(hasRecords && jq === undefined ? [extract] : []),
    ...(hasRecords ? [sql] : []),
    grep,
    read,
    ...(isText ? [sql ?? jq] : []),
    code,
  ]
    .filter((name) => name !== undefined)
    .slice(0, 3);
}

/** The one sentence of the bare form. */
export function bareGuidance({ artifact, tools }: GuidanceInput): string {
  const named = suitedTools(artifact, tools).join(", ");
  if (named !== "") return `The full output is stored; query it by file_path with ${named}.`;
  return "The full output is stored under this file_path.";
}
