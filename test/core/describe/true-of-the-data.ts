import * as fc from "fast-check";
import { expect } from "vitest";
import { recordParser } from "../../../src/core/profile/records.js";
import type { Recipe } from "../../../src/core/types/artifact.js";
import { type Content, setsOf } from "../../../src/core/types/content.js";
import { runInProcess } from "./jq-runners.js";

/** Values as tools return them, with names that meet what recipes and outlines add. */
const names = fc.uniqueArray(
  fc.constantFrom(
    "id",
    "count",
    "sum",
    "item",
    "state",
    "created_at",
    "title",
    "amount",
    "a.b",
    "a",
    "tags",
    "value",
    "type",
    "due date",
    "k".repeat(140),
    "j".repeat(70),
  ),
  { minLength: 1, maxLength: 8 },
);
const dates = fc.oneof(
  fc.constantFrom("2026-01-31", "2026-02-01", "2025-12-31"),
  fc.constantFrom("2026-01-31T10:00:00Z", "2026-01-31T11:00:00+02:00", "2026-01-31T10:00:00.5Z"),
  fc.constantFrom("2026-01-31T10:00:00.100Z", "2026-01-31T10:00:00.900Z"),
  fc.constantFrom("2024-01-15 Weekly sync", "2024-99-99", "2024-02-30"),
);
const columns: readonly fc.Arbitrary<unknown>[] = [
  fc.constantFrom("open", "closed"),
  fc.constantFrom("north", "south", null),
  fc.integer({ min: -5, max: 40 }),
  fc.double({ min: -10, max: 10, noNaN: true }).map((one) => Math.round(one * 100) / 100),
  fc.boolean(),
  fc.constantFrom("2026-01-31", "2026-02-01", "2025-12-31", "2026-01-01"),
  fc.constantFrom("2026-01-31T10:00:00.100Z", "2026-01-31T10:00:00.900Z"),
  dates,
  fc.string({ maxLength: 12 }),
  fc.array(fc.constantFrom("x", "y"), { maxLength: 60 }),
  fc.constant({ b: 1 }),
  fc.oneof(fc.integer(), fc.string({ maxLength: 4 }), fc.constant(null)),
];

/** Records whose fields each hold one kind of values, some of them absent. */
export const recordSets: fc.Arbitrary<readonly Record<string, unknown>[]> = names.chain((chosen) =>
  fc
    .tuple(...chosen.map(() => fc.constantFrom(...columns)))
    .chain((kinds) =>
      fc.array(fc.tuple(...kinds.map((kind) => fc.option(kind, { nil: undefined, freq: 12 }))), {
        minLength: 3,
        maxLength: 40,
      }),
    )
    .map((rows) =>
      rows.map((cells) => {
        const present = chosen.map((name, at) => [name, cells[at]] as const);
        return Object.fromEntries(present.filter(([, cell]) => cell !== undefined));
      }),
    ),
);

/** Each way in which an output may hold records. */
export const AROUND: Readonly<Record<string, (records: readonly object[]) => string>> = {
  "an array": (records) => JSON.stringify(records),
  "an object around": (records) =>
    JSON.stringify({ ok: true, data: { items: records }, note: "n" }),
  "a map": (records) =>
    JSON.stringify(
      Object.fromEntries(records.map((record, at) => [`key${at}`, { at, ...record }])),
    ),
  lines: (records) => records.map((record) => `${JSON.stringify(record)}\n`).join(""),
};

/** The records as a reader takes them: objects of strings for rows. */
export function valuesOf(content: Content): unknown[] {
  return linesOf(content).map((line): unknown => JSON.parse(line));
}

/** The records as the jq tool sees them. */
function linesOf(content: Content): string[] {
  const { layout } = content;
  const [records] = setsOf(content);
  if (records === undefined) return [];
  const lines = Array.from({ length: records.count }, (_, index) => records.at(index));
  const parse = recordParser(content);
  return layout === "rows" ? lines.map((line) => JSON.stringify(parse(line))) : lines;
}

/** What stands at a path of a record; `undefined` where nothing does. */
export function at(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** What each recipe answers, from one run of jq, since starting it is what takes its time. */
export async function answersOf(
  recipes: readonly Recipe[],
  content: Content,
): Promise<unknown[][]> {
  const filters = recipes.map(({ shellFilter, filter, slurp }) =>
    slurp ? `[${shellFilter ?? filter}]` : `[.[] | (${shellFilter ?? filter})]`,
  );
  const all = {
    description: "",
    filter: `[${filters.join()}]`,
    slurp: true,
    raw: false,
    params: {},
  };
  const { output, error } = await runInProcess(all, linesOf(content));
  expect({ filters, error }).toEqual({ filters, error: "" });
  const answers: unknown[][] = JSON.parse(output);
  return answers;
}
