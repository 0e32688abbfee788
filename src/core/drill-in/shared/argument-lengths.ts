import { isRecord } from "../../../util/is-record.js";
import {
  MAX_CODE_CHARACTERS,
  MAX_FILTER_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
} from "../../engines/limits.js";

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
export function lengthProblem(raw: unknown, whatIs: (name: string) => string): string | undefined {
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
