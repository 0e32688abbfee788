import { jsonValuesIn } from "../json-values.js";
import type { Answer, AnswerForm } from "./task.js";

/** Numbers are right within half of the second decimal; those that are not whole within a hundred-thousandth too. */
const ABSOLUTE = 0.005 + 1e-9;
const RELATIVE = 1e-5;
const MAX_CHARACTERS = 20_000;

/**
 * Whether a given answer is right. Numbers may have separators and units, texts any case and white space, and a list may
 * be JSON, or its members in lines or between commas.
 */
export function isRight(form: AnswerForm, given: unknown, truth: Answer): boolean {
  if (typeof given === "string" && given.length > MAX_CHARACTERS) return false;
  if (form === "number") return sameNumber(numberIn(given), truth);
  if (form === "text") return sameMember(single(given), truth as string | number);
  const members = listIn(given);
  const right = truth as readonly (number | string)[];
  if (members?.length !== right.length) return false;
  if (form === "list") return right.every((one, place) => sameMember(members[place], one));
  const rest = [...members];
  return right.every((one) => {
    const at = rest.findIndex((member) => sameMember(member, one));
    if (at !== -1) rest.splice(at, 1);
    return at !== -1;
  });
}

function sameMember(given: unknown, truth: number | string): boolean {
  return typeof truth === "number"
    ? sameNumber(numberIn(given), truth)
    : isPlain(given) && normal(given.toString()) === normal(truth);
}

function isPlain(given: unknown): given is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof given);
}

function sameNumber(given: number, truth: unknown): boolean {
  if (typeof truth !== "number") return false;
  const relative = Number.isInteger(truth) ? 0 : Math.abs(truth) * RELATIVE;
  return Math.abs(given - truth) <= Math.max(ABSOLUTE, relative);
}

function numberIn(given: unknown): number {
  const value = single(given);
  if (typeof value === "number") return value;
  if (typeof value !== "string") return Number.NaN;
  const numbers = jsonValuesIn(value).filter((one) => typeof one === "number");
  return numbers.length === 1 ? (numbers[0] ?? Number.NaN) : Number.NaN;
}

/** The value itself, or the only member of a list. */
function single(given: unknown): unknown {
  return Array.isArray(given) && given.length === 1 ? given[0] : given;
}

function listIn(given: unknown): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given;
  if (typeof given === "number") return [given];
  if (typeof given !== "string") return undefined;
  const whole = jsonValuesIn(given).find((one) => Array.isArray(one));
  if (whole !== undefined) return whole;
  const separator = given.includes("\n") ? "\n" : ",";
  return given.split(separator).filter((one) => one.trim() !== "");
}

function normal(text: string): string {
  const bare = text
    .normalize("NFC")
    .trim()
    .replace(/^["'`]+|["'`.]+$/g, "");
  return bare.replaceAll(/\s+/g, " ").trim().toLowerCase();
}
