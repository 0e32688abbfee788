import type { ModelTool } from "../../../../src/core/drill-in/model-tools.js";
import { extractTool } from "../../../../src/presets/lro/extract.js";
import { CORE_TOOLS } from "../../../../src/core/drill-in/tools.js";

const ALL_TOOLS = [...CORE_TOOLS, extractTool];
const ALL_ARGUMENTS = [
  ...new Set([
    ...ALL_TOOLS.flatMap((tool) => Object.keys((tool.understood ?? tool.schema).shape)),
    "case_sensitive",
    "artifact_id",
    "filename",
  ]),
];
/** Names of arguments that are no words of a sentence. */
const PLAIN_NAMES = ["slurp", "literal", "invert", "filename"];
const TOOL_WORD = /\b(?:\w+_tool_output|lro_extract|artifact_(?:read|grep|jq)|\w+_large_output)\b/g;

/** The arguments that a tool's definition shows. */
export function shownOf({ parameters }: ModelTool): readonly string[] {
  return Object.keys(Object(parameters["properties"]));
}

/** Everything that a text names and that is not there: arguments, tools, and in calls what they are on. */
export function strangersIn(
  text: string,
  tools: readonly ModelTool[],
  seen: string,
  members: readonly string[] = [],
  brought: readonly string[] = [],
): readonly string[] {
  const shown = new Set([...tools.flatMap(shownOf), ...members]);
  const hidden = ALL_ARGUMENTS.filter((name) => !shown.has(name));
  const names = (text.match(TOOL_WORD) ?? []).filter(
    (name) => !tools.some((tool) => tool.name === name),
  );
  return [
    ...hidden.filter((name) => isNamed(name, text)),
    ...names,
    ...callsIn(text).flatMap((call) => strangersOfCall(call, tools, seen, brought)),
  ];
}

/** Whether a text speaks of an argument; a name that is a word too must stand as one is named. */
function isNamed(name: string, text: string): boolean {
  if (name.includes("_") || PLAIN_NAMES.includes(name))
    return new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text);
  return new RegExp(
    `(?<![\\w.{ ] ?)${name}(?:\\.\\w+)?: |\\b(?:[Pp]ass|[Ss]et|without|in|as|both) ${name}(?=[,.;:]| (?:to|and|or|in|has|have|is|are)\\b|$)|\\bThe ${name} has `,
    "m",
  ).test(text);
}

/** Calls that a text states, each with its arguments as JSON. */
function callsIn(text: string): readonly (readonly [tool: string, json: string])[] {
  return [...text.matchAll(/\b(\w+) (\{"\w+":.*\})(?= \(|[.,]?$)/gm)].map(
    ([, tool = "", json = ""]) => [tool, json],
  );
}

function strangersOfCall(
  [name, json]: readonly [tool: string, json: string],
  tools: readonly ModelTool[],
  seen: string,
  brought: readonly string[],
): readonly string[] {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return [];
  const args: Record<string, unknown> = JSON.parse(json);
  const reference = String(args[shownOf(tool)[0] ?? ""]);
  return [
    // What the call before had is taken again, shown or not.
    ...Object.keys(args).filter((key) => !shownOf(tool).includes(key) && !brought.includes(key)),
    ...(seen.includes(reference) ? [] : [reference]),
  ];
}
