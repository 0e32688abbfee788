import type { z } from "zod";

import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import {
  MAX_CODE_CHARACTERS,
  MAX_FILTER_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
} from "../engines/limits.js";
import { refusal } from "./answer.js";
import { type DrillInToolDefinition, parsedJson, type ToolShape } from "./tools.js";

/** `null`, empty text and 0 count as absent. */
export interface CheckedArguments {
  readonly given: Readonly<Record<string, unknown>>;
  readonly reference: string;
  number(name: string): number | undefined;
  count(name: string): number | undefined;
  flag(name: string): boolean;
  text(name: string): string | undefined;
  variables(name: string): Readonly<Record<string, unknown>> | undefined;
}

const REFERENCE_NAMES = ["id", "file_path", "file_name", "path", "artifact_id"];
const MAX_PROBLEM_CHARACTERS = 600;
/** In UTF-16 code units, plus one per value. */
const MAX_CHARACTERS = 262_144;
const MOST_CHARACTERS: Readonly<Record<string, number>> = {
  pattern: MAX_PATTERN_CHARACTERS,
  filter: MAX_FILTER_CHARACTERS,
  query: MAX_FILTER_CHARACTERS,
  code: MAX_CODE_CHARACTERS,
};

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
  shape?: Pick<ToolShape, "schema" | "names">,
): CheckedArguments {
  const nameOf = (name: string): string => shape?.names[name] ?? name;
  const shown = Object.keys((shape ?? tool).schema.shape);
  if (isTooLong(raw))
    throw refusal(`The arguments are too long: at most ${MAX_CHARACTERS} characters are allowed.`);
  const given = unwrapped(raw);
  if (!isRecord(given))
    throw refusal(`Invalid arguments: pass an object with ${shown.join(", ")}.`);
  const schema = tool.understood ?? tool.schema;
  const named = byOwnNames(given, Object.keys(schema.shape));
  for (const [name, most] of Object.entries(MOST_CHARACTERS)) {
    const { [name]: text } = named;
    if (typeof text === "string" && text.length > most)
      throw refusal(
        `The ${nameOf(name)} has ${text.length} characters; at most ${most} are allowed.`,
      );
  }
  const parsed = schema.safeParse(named);
  if (parsed.success) return checked(parsed.data);
  // Invalid arguments that the tool does not show are ignored.
  for (const { path } of parsed.error.issues)
    if (!shown.includes(nameOf(String(path[0])))) delete named[String(path[0])];
  const { success, data, error } = schema.safeParse(named);
  if (!success) throw refusal(problemOf(error, named, shown, nameOf));
  return checked(data);
}

function byOwnNames(
  raw: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (value !== undefined && value !== null) result[name] = value;
  }
  const own = names.find((name) => REFERENCE_NAMES.includes(name));
  const other = REFERENCE_NAMES.find((name) => typeof raw[name] === "string");
  if (own !== undefined && other !== undefined) result[own] ??= raw[other];
  return result;
}

function problemOf(
  error: z.ZodError,
  given: Readonly<Record<string, unknown>>,
  shown: readonly string[],
  nameOf: (name: string) => string,
): string {
  const wrong = error.issues.map(({ path, message }) => {
    const [first = "the arguments", ...rest] = path.map(String);
    if (path.length === 1 && given[first] === undefined) return `${nameOf(first)} is missing`;
    return `${[nameOf(first), ...rest].join(".")}: ${message.replace(/^Invalid input: /, "")}`;
  });
  const text = `Invalid arguments: ${wrong.join("; ")}. Allowed: ${shown.join(", ")}.`;
  return shorten(text, MAX_PROBLEM_CHARACTERS);
}

function checked(given: Readonly<Record<string, unknown>>): CheckedArguments {
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === "string" ? value : undefined;
  };
  const number = (name: string): number | undefined => Number(given[name]) || undefined;
  return {
    given,
    reference: text("id") ?? text("file_path") ?? "",
    text,
    number,
    count: (name) => Math.max(0, number(name) ?? 0) || undefined,
    flag: (name) => given[name] === true,
    variables: (name) => {
      const value = given[name];
      return isRecord(value) ? value : undefined;
    },
  };
}

function isTooLong(raw: unknown): boolean {
  let size = 0;
  const open: unknown[] = [raw];
  while (open.length > 0 && size + open.length <= MAX_CHARACTERS) {
    const next = open.pop();
    size += typeof next === "string" ? next.length : 1;
    if (typeof next !== "object" || next === null) continue;
    for (const key in next) {
      size += key.length;
      if (size + open.push(Reflect.get(next, key)) > MAX_CHARACTERS) return true;
    }
  }
  return size + open.length > MAX_CHARACTERS;
}
