import * as fc from "fast-check";
import type { RawOutput } from "./truths/evidence.js";

/** Always the same outputs: what is listed of them must not change from run to run. */
const SEED = 37;

const day = fc
  .integer({ min: 0, max: 900 })
  .map((at) => new Date(Date.UTC(2024, 0, 1) + at * 86_400_000).toISOString());
const columns: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  id: fc.integer({ min: 1, max: 100_000 }),
  state: fc.constantFrom("open", "closed", "merged"),
  "due.date": day.map((text) => text.slice(0, 10)),
  at: day,
  size: fc.integer({ min: -40, max: 40 }),
  ratio: fc.double({ min: -10, max: 10, noNaN: true }).map((one) => Math.round(one * 100) / 100),
  flag: fc.boolean(),
  note: fc.string({ maxLength: 12 }),
  code: fc.integer({ min: 100, max: 999 }).map(String),
  price: fc.integer({ min: 1, max: 9_000_000 }).map((one) => `$${one.toLocaleString("en-US")}`),
  tags: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 5 }),
  owner: fc.record({
    login: fc.constantFrom("ann", "bob", "cy"),
    age: fc.integer({ min: 18, max: 80 }),
  }),
  mixed: fc.oneof(
    fc.integer({ max: 9, min: 0 }),
    fc.constantFrom("many", "few"),
    fc.constant(null),
  ),
  gone: fc.constantFrom(null, "", "here"),
  counts: fc.dictionary(fc.stringMatching(/^[a-z]{2}$/), fc.integer({ min: 0, max: 9 }), {
    maxKeys: 9,
  }),
};

/** Records of some of the columns; each field is absent now and then. */
const records = fc.subarray(Object.keys(columns), { minLength: 3 }).chain((names) =>
  fc.array(
    fc
      .tuple(
        ...names.map((name) =>
          fc.option(columns[name] ?? fc.constant(1), { nil: undefined, freq: 12 }),
        ),
      )
      .map((cells) =>
        Object.fromEntries(
          names.map((name, at) => [name, cells[at]]).filter(([, cell]) => cell !== undefined),
        ),
      ),
    { minLength: 40, maxLength: 90 },
  ),
);

function cell(value: unknown): string {
  const text =
    value === undefined || value === null
      ? ""
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(all: readonly object[]): string {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))];
  const rows = all.map((one) => names.map((name) => cell(Reflect.get(one, name))).join(","));
  return `${[names.join(","), ...rows].join("\n")}\n`;
}

const word = fc.constantFrom("alpha", "beta", "gamma", "delta", "one", "two");
const yaml = fc
  .array(
    fc.tuple(word, fc.integer({ min: 0, max: 99 }), fc.array(word, { minLength: 1, maxLength: 4 })),
    { minLength: 30, maxLength: 90 },
  )
  .map(
    (all) =>
      `version: 2\nservices:\n${all.map(([name, port, tags], at) => `  - name: ${name}${at}\n    port: ${port}\n    tags: [${tags.join(", ")}]\n`).join("")}`,
  );

/** Each way in which an output may hold records, and texts with outlines of their own. */
const MAKERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  array: records.map((all) => JSON.stringify(all)),
  lines: records.map((all) => all.map((one) => `${JSON.stringify(one)}\n`).join("")),
  "object around": records.map((all) =>
    JSON.stringify({ ok: true, page: { size: all.length, next: "c-2" }, data: { items: all } }),
  ),
  map: records.map((all) =>
    JSON.stringify(Object.fromEntries(all.map((one, at) => [`key${at}`, { at, ...one }]))),
  ),
  sets: fc
    .tuple(records, records)
    .map(([one, other]) => JSON.stringify({ orders: one, refunds: other, note: "n" })),
  document: records.map((all) =>
    JSON.stringify(
      { rates: { EUR: 1.5 }, groups: { one: all.slice(0, 9), two: { deep: all.slice(9) } } },
      undefined,
      2,
    ),
  ),
  csv: records.map(csvOf),
  yaml,
};

/** Outputs of each kind. */
const OF_EACH = 2;

/** Generated outputs, the same in each run. */
export function madeOutputs(): readonly RawOutput[] {
  return Object.entries(MAKERS).flatMap(([name, arbitrary]) =>
    fc
      .sample(arbitrary, { seed: SEED, numRuns: OF_EACH })
      .map((text, at) => ({ name: `${name} ${at + 1}`, text })),
  );
}
