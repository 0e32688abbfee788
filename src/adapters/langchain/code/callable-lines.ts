import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { shorten } from "../../../util/safe-text.js";
import {
  jsonSchemaOf,
  type ShownTool,
  withReferenceSchema,
} from "../references/reference-schema.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { copyWith } from "../tool/around-call.js";
import { callableNames } from "./calls-of-run.js";
import { calledAs } from "./sentences.js";

/** Arguments that a line names at most, and the longest sentence about a tool, in UTF-16 code units. */
const MAX_ARGUMENTS = 8;
const MAX_SENTENCE_CHARACTERS = 80;

/**
 * What the definition of the tool that runs code says of the tools that code may call: one line each, in the order of
 * the options; `undefined` when the agent has none of them.
 *
 * @param names - The tools that code may call.
 */
function callableLines(tools: readonly unknown[], names: readonly string[]): string | undefined {
  const byName = new Map(tools.map((tool) => [fieldOf(tool, "name"), tool]));
  const lines = names.flatMap((name) => {
    const tool = byName.get(name);
    return tool === undefined ? [] : [lineOf(name, tool)];
  });
  if (lines.length === 0) return undefined;
  return [
    "Tools, as in await tools.name({…}): gives parsed data, whole; throws when a call fails.",
    ...lines,
  ].join("\n");
}

/**
 * The tools as a model is shown them: the one that runs code says which of the others code may call. It is no tool of
 * LangChain then, which lets nobody replace those.
 */
export function withCallableTools<Tool extends object>(
  tools: readonly Tool[],
  offloader: Offloader,
): (Tool | ShownTool)[] {
  const { running, lines } = callableAmong(tools, tools, offloader);
  if (running === undefined || lines === undefined) return [...tools];
  const known = shown.get(running);
  const as = known?.lines === lines ? known.tool : withLines(running, lines);
  shown.set(running, { lines, tool: as });
  return tools.map((tool) => (tool === running ? as : tool));
}

/** The same for a node, whose tools are all there when it is made: they are tools of LangChain still. */
export function namingCallable<Tool extends object>(
  drillInTools: readonly Tool[],
  others: readonly unknown[],
  offloader: Offloader,
): Tool[] {
  const { running, lines } = callableAmong(drillInTools, others, offloader);
  if (running === undefined || lines === undefined) return [...drillInTools];
  const description = `${String(fieldOf(running, "description"))}\n${lines}`;
  return drillInTools.map((tool) => (tool === running ? copyWith(tool, { description }) : tool));
}

/** As what a tool was shown last. */
const shown = new WeakMap<object, { readonly lines: string; readonly tool: ShownTool }>();

function callableAmong<Tool extends object>(
  tools: readonly Tool[],
  others: readonly unknown[],
  offloader: Offloader,
): { readonly running: Tool | undefined; readonly lines: string | undefined } {
  const { toolNames, code } = offloader.options;
  const running = tools.find((tool) => fieldOf(tool, "name") === toolNames.code);
  if (running === undefined || code?.calls === undefined) return { running, lines: undefined };
  return { running, lines: callableLines(others, callableNames(offloader)) };
}

function withLines(tool: object, lines: string): ShownTool {
  const asShown = withReferenceSchema(tool, new Map());
  return { ...asShown, description: `${asShown.description}\n${lines}` };
}

function lineOf(name: string, tool: unknown): string {
  const description = fieldOf(tool, "description");
  const told = typeof description === "string" ? ` ${sentenceOf(description)}` : "";
  return `${calledAs(name)}(${argumentsOf(tool)})${told}`.trimEnd();
}

function argumentsOf(tool: unknown): string {
  try {
    const { properties, required } = jsonSchemaOf(fieldOf(tool, "schema"));
    const names = Object.keys(isRecord(properties) ? properties : {});
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const shown = names
      .slice(0, MAX_ARGUMENTS)
      .map((name) => (needed.includes(name) ? name : `${name}?`));
    const all = names.length > MAX_ARGUMENTS ? [...shown, "…"] : shown;
    return all.length === 0 ? "{}" : `{${all.join(", ")}}`;
  } catch {
    // A schema that cannot be told as JSON.
    return "{…}";
  }
}

/** The first sentence, on one line. */
function sentenceOf(description: string): string {
  const start = description
    .slice(0, 4 * MAX_SENTENCE_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  const end = start.indexOf(". ");
  return shorten(end === -1 ? start : start.slice(0, end + 1), MAX_SENTENCE_CHARACTERS);
}
