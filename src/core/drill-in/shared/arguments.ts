import type { z } from "zod";

import { lengthProblem } from "./argument-lengths.js";
import { type DrillInToolDefinition, ONE_ID, understoodSchema } from "./tool-schemas.js";
import { isRecord } from "../../../util/is-record.js";

/** Arguments as they are meant. `null`, an empty string and the number 0 stand for absence. */
export interface CheckedArguments {
  /** All of them, as they were given. */
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

/** The arguments of a tool that stands in for a drill-in. */
export interface ArgumentShape {
  readonly schema: z.ZodObject;
  /** The tool's names by those of the drill-in. */
  readonly names: Readonly<Record<string, string>>;
}

/** Either the arguments or the sentence that says what is wrong with them. */
export type ArgumentsResult =
  | { readonly args: CheckedArguments; readonly problem?: undefined }
  | { readonly args: undefined; readonly problem: string };

const REFERENCE_NAMES = ["id", "file_path", "file_name", "path", "artifact_id"];
const MAX_PROBLEM_CHARACTERS = 600;

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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
  shape?: ArgumentShape,
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

function checked(data: Readonly<Record<string, unknown>>): CheckedArguments {
  const text = (name: string): string | undefined => {
    const value = data[name];
    return typeof value === "string" ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = data[name];
    const isNumber = typeof value === "number" || typeof value === "string";
    return (isNumber && Number(value)) || undefined;
  };
  return {
    given: data,
    reference: text("id") ?? text("file_path") ?? "",
    text,
    number,
    count: (name) => {
      const value = number(name);
      return value !== undefined && value > 0 ? value : undefined;
    },
    flag: (name) => {
      const value = data[name];
      if (typeof value !== "string") return typeof value === "boolean" ? value : undefined;
      return value.trim() === "" ? undefined : value.trim().toLowerCase() === "true";
    },
    variables: (name) => {
      const value = unwrapped(data[name]);
      return isRecord(value) ? value : undefined;
    },
  };
}
