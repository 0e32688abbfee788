import type { z } from "zod";

import { isRecord } from "../../util/is-record.js";
import {
  MAX_CODE_CHARACTERS,
  MAX_FILTER_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
} from "../engines/limits.js";
import {
  type DrillInToolDefinition,
  ONE_ID,
  parsedJson,
  type ToolShape,
  understoodSchema,
} from "./tools.js";

/** Arguments as they are meant. `null`, an empty string and the number 0 stand for absence. */
export interface CheckedArguments {
  /** All of them, as they are meant. */
  readonly given: Readonly<Record<string, unknown>>;
  /** What the artifact is called by: the id, the file name or the path. */
  readonly reference: string;
  /** A whole number; `undefined` when absent or 0. */
  number(name: string): number | undefined;
  /** A whole number of at least 1; `undefined` when absent, 0 or negative. */
  count(name: string): number | undefined;
  flag(name: string): boolean | undefined;
  text(name: string): string | undefined;
  variables(name: string): Readonly<Record<string, unknown>> | undefined;
}

/** Either the arguments or the sentence that says what is wrong with them. */
type ArgumentsResult =
  | { readonly args: CheckedArguments; readonly problem?: undefined }
  | { readonly args: undefined; readonly problem: string };

const REFERENCE_NAMES = ["id", "file_path", "file_name", "path", "artifact_id"];
const MAX_PROBLEM_CHARACTERS = 600;

/** Models now and then pass a whole object as JSON text. */
export function unwrapped(value: unknown): unknown {
  return typeof value === "string" && /^\s*\{/.test(value) ? parsedJson(value) : value;
}

function prepared(raw: Record<string, unknown>, schema: z.ZodObject): Record<string, unknown> {
  const names = Object.keys(schema.shape);
  const result: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (value !== undefined && value !== null) result[name] = value;
  }
  const own = names.find((name) => REFERENCE_NAMES.includes(name));
  if (own === undefined || result[own] !== undefined) return result;
  const other = REFERENCE_NAMES.find((name) => typeof raw[name] === "string");
  if (other !== undefined) result[own] = raw[other];
  return result;
}

function problemOf(
  error: z.ZodError,
  given: Readonly<Record<string, unknown>>,
  shown: readonly string[],
  nameOf: (name: string) => string,
): string {
  const wrong = error.issues.map((issue) => {
    const [first, ...rest] = issue.path.map(String);
    if (first !== undefined && rest.length === 0 && given[first] === undefined)
      return `${nameOf(first)} is missing`;
    const name = first === undefined ? "the arguments" : [nameOf(first), ...rest].join(".");
    const others =
      issue.message === ONE_ID && shown.includes("with")
        ? '; further outputs go in with: {"b": "<id>"}'
        : "";
    return `${name}: ${issue.message.replace(/^Invalid input: /, "")}${others}`;
  });
  const text = `Invalid arguments: ${wrong.join("; ")}. Allowed: ${shown.join(", ")}.`;
  return text.length > MAX_PROBLEM_CHARACTERS ? `${text.slice(0, MAX_PROBLEM_CHARACTERS)}…` : text;
}

/**
 * Checks what a model passed to a drill-in tool, forgiving what can be understood. Never throws.
 *
 * @param shape - The tool by which the model knows the drill-in, when it has other names for the arguments.
 */
export function checkArguments(
  tool: DrillInToolDefinition,
  raw: unknown,
  shape?: Pick<ToolShape, "schema" | "names">,
): ArgumentsResult {
  const nameOf = (name: string): string => shape?.names[name] ?? name;
  const shown = Object.keys((shape ?? tool).schema.shape);
  const whatIs = (name: string): string =>
    shown.includes(nameOf(name)) ? nameOf(name) : "argument";
  const tooLong = lengthProblem(raw, whatIs);
  if (tooLong !== undefined) return { args: undefined, problem: tooLong };
  const schema = understoodSchema(tool);
  const given = unwrapped(raw);
  const inside = given === raw ? undefined : lengthProblem(given, whatIs);
  if (inside !== undefined) return { args: undefined, problem: inside };
  if (!isRecord(given)) {
    const problem = `Invalid arguments: pass an object with ${shown.join(", ")}.`;
    return { args: undefined, problem };
  }
  const named = prepared(given, schema);
  const parsed = schema.safeParse(named);
  if (parsed.success) return { args: checked(parsed.data) };
  // An argument that the tool does not show is no fault of a call that is right without it.
  const hidden = parsed.error.issues.flatMap(({ path: [name] }) =>
    typeof name !== "string" || shown.includes(nameOf(name)) ? [] : [name],
  );
  const without = Object.entries(named).filter(([name]) => !hidden.includes(name));
  const again = schema.safeParse(Object.fromEntries(without));
  return again.success
    ? { args: checked(again.data) }
    : { args: undefined, problem: problemOf(again.error, named, shown, nameOf) };
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
    flag: (name) => {
      const value = given[name];
      return typeof value === "boolean" ? value : undefined;
    },
    variables: (name) => {
      const value = given[name];
      return isRecord(value) ? value : undefined;
    },
  };
}

/** Longest argument that has no limit of its own, in UTF-16 code units: texts and keys in it, and one for each value. */
const MAX_ARGUMENT_CHARACTERS = 65_536;
/** Longest text that stands for all arguments together. */
const MAX_TEXT_CHARACTERS = 262_144;

/**
 * Which argument is longer than it may be, in one sentence. Comes before anything else looks at what a model
 * passed, and costs no more than a look at so many values.
 *
 * @param whatIs - What the model knows an argument as.
 */
function lengthProblem(raw: unknown, whatIs: (name: string) => string): string | undefined {
  if (typeof raw === "string")
    return tooLong("text of the arguments", raw.length, MAX_TEXT_CHARACTERS);
  if (!isRecord(raw)) return undefined;
  let names = 0;
  for (const name in raw) {
    names += 1;
    if (names > MAX_ARGUMENT_CHARACTERS) return "These are too many arguments.";
    const most = limitOf(name);
    const value = raw[name];
    // Of a text its length is known; a count that stops says less.
    const problem =
      typeof value === "string"
        ? tooLong(whatIs(name), value.length, most)
        : tooLong(whatIs(name), sizeOf(value, most), most);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function limitOf(name: string): number {
  if (name === "pattern") return MAX_PATTERN_CHARACTERS;
  if (name === "code") return MAX_CODE_CHARACTERS;
  return name === "filter" || name === "query" ? MAX_FILTER_CHARACTERS : MAX_ARGUMENT_CHARACTERS;
}

function tooLong(what: string, length: number, most: number): string | undefined {
  if (length <= most) return undefined;
  return `The ${what} has ${length} characters; at most ${most} are allowed.`;
}

/** Texts and keys of a value, and one for each value in it; counted up to the first that is over `most`. */
function sizeOf(value: unknown, most: number): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= most) {
    const next = open.pop();
    size += typeof next === "string" ? next.length : 1;
    if (typeof next !== "object" || next === null) continue;
    for (const key in next) {
      size += key.length;
      open.push(Reflect.get(next, key));
      if (open.length > most) return most + open.length;
    }
  }
  return size;
}
