import * as fc from "fast-check";
import { expect, it } from "vitest";

import { openSource } from "../../../../../src/core/engines/readers/byte-reader.js";
import { knownLine, scanRecords } from "../../../../../src/core/engines/sql/worker/scan.js";
import { slownessOf } from "../../../../source/slow-expressions.js";

function scanned(...lines: readonly string[]): ReturnType<typeof scanRecords> {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return scanRecords(openSource({ bytes }), {
    maxLineBytes: 1_000_000,
    cells: false,
  });
}

it("the columns are those of all records, however many are parsed at once", () => {
  const lines = Array.from({ length: 1_000 }, (_, id) =>
    JSON.stringify({ id, [`n${id % 3}`]: "x" }),
  );
  const { columns, isClean } = scanned(...lines, "", '{"late": 1.5}');
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "id BIGINT",
    "n0 VARCHAR",
    "n1 VARCHAR",
    "n2 VARCHAR",
    "late DOUBLE",
  ]);
  expect(isClean).toBe(true);
});

it.each([
  ["two values", ['{"a": 1}, {"a": 2}', '{"a": 3}']],
  ["a part of one", ['{"a": 1}', '{"a":', '{"a": 3}']],
])("a line that holds %s is no JSON", (_, lines) => {
  expect(() => scanned(...lines)).toThrow(SyntaxError);
});

it("of a key that stands twice in an object, the last value counts", () => {
  const bytes = Buffer.from('{"b": 1}\n{"a": {"c": 1, "c": 2}, "a": {"c": 3}}\n');
  const written: string[] = [];
  const options = {
    maxLineBytes: 1_000,
    cells: false,
    write: (text: string) => written.push(text),
  };
  expect(scanRecords(openSource({ bytes }), options).isClean).toBe(false);
  expect(written.join("")).toBe('{"b": 1}\n{"a":{"c":3}}\n');
});

const numeral = fc.constantFrom(
  ..."0 -0 7 -12 1.5 2.50 0.12345678901234 123456789012345 1234567890123456".split(" "),
  ..."9007199254740993 12345678901234567890 1.0 1e3 1e400 123456789012.1234".split(" "),
);
const member = fc.oneof(
  numeral,
  fc.constantFrom(...'null~true~false~[]~[1]~{"k":1}~"\\ud83d"~"a\\"b"~"é,}\u2028"'.split("~")),
);
const record = fc
  .record({ a: member, "b:é": member, 'c"{': member }, { requiredKeys: [] })
  .map((members) =>
    Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`),
  )
  .chain((members) => fc.constantFrom(`{${members.join(",")}}`, `{${members.join(", ")}}`));

it("a line of a later block counts as one of the first block, which is parsed", () => {
  const block = Array.from(
    { length: 2_000 },
    (_, id) => `{"id":${id},"a":"x","b:é":1,"c\\"{":2.5}`,
  );
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 40 }), (lines) => {
      const { columns, isClean } = scanned(block[0] ?? "", ...lines, ...block);
      expect(scanned(...block, ...lines, "")).toMatchObject({ columns, isClean });
    }),
  );
});

it.each(['{"id":1,}', '{"id":01}', '{"id":1 "a":2}', '{"id":1.}', '{"id":"\u0001"}'])(
  "%s is no JSON in a later block either",
  (line) => {
    const block = Array.from({ length: 9_000 }, (_, id) => `{"id":${id},"a":1.5}`);
    expect(() => scanned(...block, line, '{"id":1}')).toThrow(SyntaxError);
  },
);

it("a known line is found in linear time", () => {
  const kinds = new Set(["string", "boolean", "integer", "number"] as const);
  const places = ["a", "a+)+", '"', "é".repeat(100)].map(
    (name, scale) => [name, { kinds, scale: scale === 0 ? Infinity : scale }] as const,
  );
  const known = knownLine(new Map(places));
  expect(known?.test(`{"a+)+":"x"}\n`)).toBe(true);
  expect(slownessOf(known?.source ?? "", "y")).toBeUndefined();
});
