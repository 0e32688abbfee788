import { REFERENCE_MARK as MARK } from "./terms.js";
import { artifactIdIn } from "../../core/store/naming.js";
import { isRecord } from "../../util/is-record.js";

/** Part of a stored output, as a model names it in another tool's argument. */
export interface Reference {
  /** The id, the file name or the path. */
  readonly output: string;
  readonly jq?: string | undefined;
  readonly slurp: boolean;
  /** First and last line, counted from 1. */
  readonly lines?: readonly [number, number] | undefined;
  readonly recipe?: number | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  /** What it was said to stand for when the call was made. */
  readonly is?: unknown;
}

/** The reference, or the sentence that says what is wrong with it; nothing when a value is none. */
export type ReferenceResult =
  | { readonly reference: Reference; readonly problem?: undefined }
  | { readonly reference: undefined; readonly problem: string };

/** The last is not the model's: what a reference stands for, in words, put in for whoever decides on the call. */
const KEYS = [MARK, "jq", "slurp", "lines", "recipe", "params", "is"];
/** No reference that a model writes as a text is longer, in UTF-16 code units. */
const MAX_TEXT_CHARACTERS = 20_000;
/** How far a value is searched for a reference in the wrong place. */
const MAX_SEARCHED_VALUES = 10_000;

/**
 * What a model passed where nobody has said that references may stand: one is what has the form in whole, or is wrong and
 * names an output by its id. All else is data, whatever its keys are called.
 */
export function readPlainReference(value: unknown): ReferenceResult | undefined {
  const read = readReference(
    value,
    (output) => typeof output === "string" && artifactIdIn(output) !== undefined,
  );
  if (read !== undefined || !isRecord(value)) return read;
  return unknownKeys(value).length === 0 && typeof value[MARK] === "string"
    ? readReference(value)
    : undefined;
}

/**
 * What a model passed as an argument that may be a reference.
 *
 * @param isMeant - Tells by what stands under the key whether it names an output.
 */
export function readReference(
  value: unknown,
  isMeant: (output: unknown) => boolean = () => true,
): ReferenceResult | undefined {
  if (typeof value === "string") {
    return isReferenceText(value, isMeant)
      ? refuse(`Pass the reference itself, not a text of it: ${value.trim().slice(0, 200)}`)
      : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (names(value, isMeant)) return checkReference(value);
  return holdsReference(value, isMeant)
    ? refuse(
        `A reference stands for a whole argument, not for a part of one. To combine data, use jq in it.`,
      )
    : undefined;
}

function unknownKeys(value: object): string[] {
  return Object.keys(value).filter((key) => !KEYS.includes(key));
}

function checkReference(value: object): ReferenceResult {
  const unknown = unknownKeys(value);
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).join(", ").slice(0, 200);
    return refuse(`A reference has no ${names}. Its keys: ${KEYS.slice(0, -1).join(", ")}.`);
  }
  const entries: [string, unknown][] = Object.entries(value);
  const given = Object.fromEntries(entries.filter(([, one]) => one !== null && one !== undefined));
  const { [MARK]: output, jq, lines, slurp = false, params = {}, is } = given;
  const recipe = "recipe" in given ? Number(given["recipe"]) : undefined;
  if (typeof output !== "string" || output.trim() === "") {
    return refuse(`${MARK} is the id or file_path of a stored output, as text.`);
  }
  if (jq !== undefined && typeof jq !== "string") return refuse("jq is a filter, as text.");
  if (typeof slurp !== "boolean") return refuse("slurp is true or false.");
  if (lines !== undefined && !isLineRange(lines)) {
    return refuse("lines is [first, last], counted from 1, such as [1, 200].");
  }
  if (recipe !== undefined && !(Number.isSafeInteger(recipe) && recipe > 0)) {
    return refuse("recipe is the number of a recipe of the descriptor, counted from 1.");
  }
  if (typeof params !== "object" || Array.isArray(params)) {
    return refuse('params is an object, such as {"keyword": "text"}.');
  }
  if ([jq, lines, recipe].filter((part) => part !== undefined).length > 1) {
    return refuse("A reference has one of jq, lines and recipe, or none of them.");
  }
  return { reference: { output, jq, slurp, lines, recipe, params: { ...params }, is } };
}

function refuse(problem: string): ReferenceResult {
  return { reference: undefined, problem };
}

function isLineRange(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [first, last]: readonly unknown[] = value;
  return (
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(last) &&
    Number(first) >= 1 &&
    Number(first) <= Number(last)
  );
}

function names(value: object, isMeant: (output: unknown) => boolean): boolean {
  return Object.hasOwn(value, MARK) && isMeant(Reflect.get(value, MARK));
}

function isReferenceText(text: string, isMeant: (output: unknown) => boolean): boolean {
  if (text.length > MAX_TEXT_CHARACTERS || !text.includes(`"${MARK}"`)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && names(value, isMeant);
  } catch {
    return false;
  }
}

/** Whether a reference is somewhere within a value, as far as it is worth looking. */
function holdsReference(value: object, isMeant: (output: unknown) => boolean): boolean {
  const open: object[] = [value];
  const seen = new Set<object>(open);
  for (const item of open) {
    for (const inner of Object.values(item)) {
      if (typeof inner !== "object" || inner === null || seen.has(inner)) continue;
      if (names(inner, isMeant)) return true;
      if (seen.size >= MAX_SEARCHED_VALUES) return false;
      seen.add(inner);
      open.push(inner);
    }
  }
  return false;
}
