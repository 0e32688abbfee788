import * as z from "zod";

import { OffloadError } from "../core/types/errors.js";
import { MAX_TIMER_MS } from "./abort.js";

const MAX_LIFE_MS = 8_000_000_000_000_000;
const MAX_SHOWN_CHARACTERS = 80;

type Shape = Readonly<Record<string, z.ZodType>>;

/** Allows known keys only. An `undefined` option counts as absent at any depth, and is removed from the result. */
export function optionsOf(shape: Shape): z.ZodType {
  const keys = Object.keys(shape);
  const schema = z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? (issue.keys ?? []).map((key) => unknownName("option", key, keys)).join(" ")
        : undefined,
  });
  return z.preprocess((given) => givenOnly(given, keys), schema);
}

/** The same, with options that may all be absent. */
export function optionalsOf(shape: Shape): z.ZodType {
  const rules = Object.entries(shape).map(([key, type]) => [key, type.optional()]);
  return optionsOf(Object.fromEntries(rules));
}

export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `There is no ${what} ${shown(name)}; there are ${known.join(", ")}.`;
}

export function optionsByName(value: z.ZodType): z.ZodType {
  return z.preprocess((given) => givenOnly(given, []), z.record(z.string(), value));
}

/** Drops `undefined` values. Looks for `keys` in the prototypes too. */
function givenOnly(given: unknown, keys: readonly string[]): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    [...new Set([...Object.keys(given), ...keys])]
      .map((key): [string, unknown] => [key, Reflect.get(given, key)])
      .filter(([, value]) => value !== undefined),
  );
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodType {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} up` : `${least} to ${most}`;
  return rule(
    (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most,
    `a whole number from ${range}`,
  );
}

export const count: z.ZodType = wholeNumber(1);
export const size: z.ZodType = wholeNumber(0);
/** Limited to what a Node timer takes. */
export const timerMs: z.ZodType = wholeNumber(1, MAX_TIMER_MS);
export const lifeMs: z.ZodType = wholeNumber(1, MAX_LIFE_MS);
export const fraction: z.ZodType = rule(
  (value) => typeof value === "number" && value >= 0 && value <= 1,
  "a number from 0 to 1, such as 0.25 for a quarter",
);
export const modelName: z.ZodType = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");
export const callback: z.ZodType = rule((value) => typeof value === "function", "a function");
export const sizeInUnit: z.ZodType = oneOf(
  [optionsOf({ tokens: size }), optionsOf({ bytes: size })],
  "{ tokens: … } or { bytes: … }, a whole number from 0 up",
);

export function rule(allows: (value: unknown) => boolean, allowed: string): z.ZodType {
  return z.custom<unknown>(allows, { error: ({ input }) => `${shown(input)}; use ${allowed}` });
}

export function having(methods: readonly string[], allowed: string): z.ZodType {
  return rule(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof Reflect.get(value, method) === "function"),
    allowed,
  );
}

export function notEmpty(allowed: string): z.ZodType {
  return rule((value) => typeof value === "string" && value !== "", allowed);
}

export function oneOf(
  rules: readonly [z.ZodType, z.ZodType, ...z.ZodType[]],
  allowed: string,
): z.ZodType {
  return z.union(rules, { error: ({ input }) => `${shown(input)}; use ${allowed}` });
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_SHOWN_CHARACTERS));
  if (typeof value === "function") return "A function";
  return typeof value === "object" && value !== null ? "An object" : String(value);
}

/**
 * @param factory - Its public name.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming each wrong value, its place and what is allowed.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows whose options the schema checks.
export function checkedOptions<Options>(
  factory: string,
  schema: z.ZodType,
  given: unknown,
): Options {
  const checked = schema.safeParse(given);
  if (checked.success) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is the type's, less what is undefined.
    return checked.data as Options;
  }
  const problems = checked.error.issues.flatMap((issue) => problemsOf(issue));
  throw new OffloadError(
    "INVALID_OPTIONS",
    `These options of ${factory} cannot be used:\n${problems.join("\n")}`,
  );
}

/**
 * For options that are destructured before they are checked.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when they are no object.
 */
export function objectOf<Options extends object>(factory: string, given: Options): Options {
  checkedOptions(factory, having([], "an object of options"), given);
  return given;
}

function meantRule(errors: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] | undefined {
  const known = errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (known.length === 1) return known[0];
  const alike = errors.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  return alike.length === 1 ? alike[0] : undefined;
}

function problemsOf(issue: z.core.$ZodIssue, place: readonly PropertyKey[] = []): string[] {
  const path = [...place, ...issue.path];
  if (issue.code === "invalid_union") {
    const meant = meantRule(issue.errors);
    if (meant !== undefined) return meant.flatMap((inner) => problemsOf(inner, path));
  }
  const at = path.length === 0 ? "" : `\n  → at ${z.core.toDotPath(path)}`;
  return [`✖ ${issue.message}${at}`];
}
