import type { Told } from "./told.js";

/** What can differ, in the order in which it is shown. */
export const KINDS = [
  "ended",
  "outcome",
  "bytes",
  "record",
  "fields",
  "values",
  "text",
  "result",
  "tools",
  "answers",
  "events",
] as const;
export type Kind = (typeof KINDS)[number];

/** One place in one scenario where two versions differ; a side that has nothing there is absent. */
export interface Difference {
  readonly kind: Kind;
  /** Where, with numbers of list members left out, so that the same place counts as one. */
  readonly place: string;
  readonly scenario: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** Where two tellings of one scenario differ. */
export function differences(scenario: string, a: Told, b: Told): Difference[] {
  const found: Difference[] = [];
  const add = (kind: Kind, place: string, one: unknown, other: unknown): void => {
    const sides = {
      ...(one !== undefined && { a: one }),
      ...(other !== undefined && { b: other }),
    };
    found.push({ kind, place, scenario, ...sides });
  };
  const compare = (kind: Kind, one: unknown, other: unknown): void => {
    for (const [place, left, right] of unequal(one, other)) add(kind, place, left, right);
  };
  compare("ended", [a.ended, a.uncaught], [b.ended, b.uncaught]);
  const count = Math.max(a.outputs?.length ?? 0, b.outputs?.length ?? 0);
  for (let index = 0; index < count; index += 1) {
    const { outcome, text, ...rest } = a.outputs?.[index] ?? {};
    const { outcome: outcomeB, text: textB, ...restB } = b.outputs?.[index] ?? {};
    compare("outcome", outcome, outcomeB);
    compareTexts(text, textB, add);
    compare("result", withoutText(rest), withoutText(restB));
  }
  compare("bytes", a.stored, b.stored);
  compare("record", a.records, b.records);
  compare("tools", a.tools, b.tools);
  compare("answers", byCall(a.answers), byCall(b.answers));
  compareEvents(listOf(a.events), listOf(b.events), add);
  return found;
}

type Add = (kind: Kind, place: string, one: unknown, other: unknown) => void;

/** Texts that are JSON field by field, whatever their order; others by their first line that differs. */
function compareTexts(one: string | undefined, other: string | undefined, add: Add): void {
  if (one === other) return;
  const [left, right] = [jsonOf(one), jsonOf(other)];
  if (left === undefined || right === undefined) {
    const [lines, others] = [one?.split("\n") ?? [], other?.split("\n") ?? []];
    const at = lines.findIndex((line, index) => line !== others[index]);
    const index = at < 0 ? lines.length : at;
    add("text", "line", lines[index], others[index]);
    return;
  }
  const places = unequal(left, right);
  for (const [place, inLeft, inRight] of places) {
    const isField = inLeft === undefined || inRight === undefined;
    add(isField ? "fields" : "values", place, inLeft, inRight);
  }
  // The same fields in another order, or written in another way.
  if (places.length === 0) add("text", "spelling", one, other);
}

/** Types in their order, then what the events say where the order is the same. */
function compareEvents(one: readonly unknown[], other: readonly unknown[], add: Add): void {
  const order = one.map((event) => typeOf(event)).join(", ");
  const otherOrder = other.map((event) => typeOf(event)).join(", ");
  if (order !== otherOrder) {
    add("events", "order", order, otherOrder);
    return;
  }
  for (const [index, event] of one.entries()) {
    for (const [place, left, right] of unequal(event, other[index])) {
      add("events", `${typeOf(event)} ${place}`, left, right);
    }
  }
}

type Unequal = readonly [place: string, one: unknown, other: unknown];

/** The smallest parts of two JSON values that differ. */
function unequal(one: unknown, other: unknown, place = ""): Unequal[] {
  if (Object.is(one, other)) return [];
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return [[place || "whole", one, other]];
  }
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) =>
    unequal(one[key], other[key], Array.isArray(one) ? `${place}[]` : `${place}.${key}`),
  );
}

/** The descriptor's text is the text that the model sees. */
function withoutText(result: Readonly<Record<string, unknown>>): unknown {
  const { descriptor, ...rest } = result;
  if (!isObject(descriptor)) return result;
  const { text: _text, ...form } = descriptor;
  return { ...rest, descriptor: form };
}

/** Answers under their calls, so that one call more moves no other. */
function byCall(answers: unknown): unknown {
  return Object.fromEntries(
    listOf(answers).map((answer) => {
      const { call, ...said } = Object(answer) as Readonly<Record<string, unknown>>;
      return [String(call), said];
    }),
  );
}

function typeOf(event: unknown): string {
  return String(Reflect.get(Object(event), "type"));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function jsonOf(text: string | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const EXAMPLES = 2;
const SHOWN = 140;

/** The differences of a kind and place together, the commonest place first, with a few examples. */
export function summary(found: readonly Difference[]): string {
  const groups = new Map<string, Difference[]>();
  for (const one of found) {
    const name = `${one.kind} ${one.place}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const order = (kind: Kind): number => KINDS.indexOf(kind);
  const sorted = [...groups].toSorted(
    ([, [one, ...more]], [, [other, ...others]]) =>
      order(one?.kind ?? "events") - order(other?.kind ?? "events") || others.length - more.length,
  );
  const parts = sorted.map(([name, all]) => {
    const examples = all.slice(0, EXAMPLES).flatMap(({ scenario, a, b }) => {
      const [one, other] = cutAt(a, b);
      return [`  ${scenario}`, `    A: ${one}`, `    B: ${other}`];
    });
    return [`${name}: ${all.length}`, ...examples].join("\n");
  });
  return parts.join("\n");
}

/** Both sides as text, from shortly before the place where they part. */
function cutAt(a: unknown, b: unknown): readonly [string, string] {
  const [one, other] = [a, b].map((side) => JSON.stringify(side) ?? "nothing") as [string, string];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const begin = Math.max(0, at - SHOWN / 3);
  const cut = (text: string): string =>
    `${begin > 0 ? "…" : ""}${text.slice(begin, begin + SHOWN)}`;
  return [cut(one), cut(other)];
}
