import * as z from "zod";

import { recordOf, stringOf } from "../../util/as-kind.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import {
  MAX_CODE_CHARACTERS,
  MAX_FILTER_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
} from "../engines/limits.js";
import { refusal } from "./answer.js";
import { parsedJson } from "../content/value/any-json.js";
import type { DrillInToolDefinition, ToolShape } from "./tools.js";

/** `null`, empty text and 0 count as absent. */
export interface CheckedArguments {
  readonly given: JsonObject;
  readonly reference: string;
  number(name: string): number | undefined;
  count(name: string): number | undefined;
  flag(name: string): boolean;
  text(name: string): string | undefined;
  variables(name: string): JsonObject | undefined;
}

const MAX_PROBLEM_CHARACTERS = 600;
const MAX_CHARACTERS = 262_144;
const MOST_CHARACTERS: Readonly<Record<string, number>> = {
  pattern: MAX_PATTERN_CHARACTERS,
  filter: MAX_FILTER_CHARACTERS,
  query: MAX_FILTER_CHARACTERS,
  code: MAX_CODE_CHARACTERS,
};

/** Loops of one's own have the arguments as JSON. */
export function unwrapped(value: unknown): unknown {
  return typeof value === "string" && /^\s*\{/.test(value) ? parsedJson(value) : value;
}

/**
 * Lenient.
 *
 * @param shape - The tool as the model knows it, if its arguments have other names.
 * @throws {@link OffloadError} for arguments that are wrong.
 */
export function checkArguments(
  tool: DrillInToolDefinition,
  raw: unknown,
  shape?: ToolShape,
): CheckedArguments {
  const nameOf = (name: string) => shape?.names[name] ?? name;
  const shown = Object.keys((shape ?? tool).schema.shape);
  if (typeof raw === "string" && raw.length > MAX_CHARACTERS)
    throw refusal(`The arguments are too long: at most ${MAX_CHARACTERS} characters are allowed.`);
  const given = unwrapped(raw);
  if (!isRecord(given))
    throw refusal(`Invalid arguments: pass an object with ${shown.join(", ")}.`);
  const { shape: types } = tool.understood ?? tool.schema;
  const values: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, type] of Object.entries(types)) {
    const value = valueOf(given, name);
    const own = nameOf(name);
    const most = MOST_CHARACTERS[name] ?? MAX_CHARACTERS;
    if (typeof value === "string" && value.length > most)
      throw refusal(`The ${own} has ${value.length} characters; at most ${most} are allowed.`);
    const { success, data, error } = z.safeParse(type, value);
    if (success) values[name] = data;
    // Invalid arguments that the tool does not show are ignored.
    else if (shown.includes(own))
      wrong.push(
        value === undefined
          ? `${own} is missing`
          : `${own}: ${error.issues[0]?.message.replace(/^Invalid input: /, "")}`,
      );
  }
  if (wrong.length === 0) return checked(values);
  const problem = `Invalid arguments: ${wrong.join("; ")}. Allowed: ${shown.join(", ")}.`;
  throw refusal(shorten(problem, MAX_PROBLEM_CHARACTERS));
}

/** A descriptor gives both `file_path` and the id. */
function valueOf(given: JsonObject, name: string): unknown {
  const other = name === "id" ? "file_path" : name === "file_path" ? "id" : name;
  return given[name] ?? given[other] ?? undefined;
}

function checked(given: JsonObject): CheckedArguments {
  const text = (name: string): string | undefined => stringOf(given[name]);
  const number = (name: string): number | undefined => Number(given[name]) || undefined;
  return {
    given,
    reference: text("id") ?? text("file_path") ?? "",
    text,
    number,
    count: (name) => Math.max(0, number(name) ?? 0) || undefined,
    flag: (name) => given[name] === true,
    variables: (name) => recordOf(given[name]),
  };
}
