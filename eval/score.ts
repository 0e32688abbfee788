import type { QuestionKind } from "./question.js";
import { isRecord } from "../src/util/is-record.js";

/** How right an answer is. */
export interface Score {
  /** The whole answer is right. Accuracy counts these. */
  readonly correct: boolean;
  /** From 0 to 1; 1 when and only when the answer is right. */
  readonly credit: number;
}

/** Numbers are equal within half of the last decimal that is asked for. */
const TOLERANCE = 0.005 + 1e-9;

/**
 * Scores an answer by its kind. A number is right or not. A set of ids gets its F1, whatever the order; a ranking the
 * share of places with the right id; an object the share of keys, of both answers together, that agree.
 */
export function scoreOf(kind: QuestionKind, given: unknown, truth: unknown): Score {
  const credit = creditOf(kind, given, truth);
  return { correct: credit === 1, credit };
}

function creditOf(kind: QuestionKind, given: unknown, truth: unknown): number {
  switch (kind) {
    case "count":
    case "filter":
      return sameValue(given, truth) ? 1 : 0;
    case "lookup":
    case "search":
      return f1(textsOf(given), textsOf(truth));
    case "top":
      return placesRight(textsOf(given), textsOf(truth));
    case "group":
    case "synthesis":
      return keysRight(given, truth);
  }
}

function f1(given: readonly string[] | undefined, truth: readonly string[] | undefined): number {
  if (given === undefined || truth === undefined) return 0;
  const [said, right] = [new Set(given), new Set(truth)];
  if (said.size + right.size === 0) return 1;
  const hits = [...said].filter((id) => right.has(id)).length;
  return (2 * hits) / (said.size + right.size);
}

function placesRight(
  given: readonly string[] | undefined,
  truth: readonly string[] | undefined,
): number {
  if (given === undefined || truth === undefined) return 0;
  const places = Math.max(given.length, truth.length);
  if (places === 0) return 1;
  return truth.filter((id, place) => given[place] === id).length / places;
}

function keysRight(given: unknown, truth: unknown): number {
  if (!isRecord(given) || !isRecord(truth)) return 0;
  const keys = new Set([...Object.keys(given), ...Object.keys(truth)]);
  if (keys.size === 0) return 1;
  const right = [...keys].filter(
    (key) =>
      Object.hasOwn(given, key) && Object.hasOwn(truth, key) && sameValue(given[key], truth[key]),
  );
  return right.length / keys.size;
}

function sameValue(given: unknown, truth: unknown): boolean {
  if (typeof truth === "number") return Math.abs(numberOf(given) - truth) <= TOLERANCE;
  return typeof given === "string" && typeof truth === "string" && given.trim() === truth.trim();
}

/** A number, also of a text that is one; `NaN` for anything else. */
function numberOf(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && given.trim() !== ""
    ? Number(given.replaceAll(",", ""))
    : Number.NaN;
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.some((one) => typeof one !== "string")) return undefined;
  return value.map((one: string) => one.trim());
}
