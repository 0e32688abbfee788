import fc from "fast-check";
import { expect, it } from "vitest";

import { openSource } from "../../../../../src/core/engines/readers/byte-reader.js";
import {
  type ScannedRecords,
  scanRecords,
} from "../../../../../src/core/engines/sql/worker/scan.js";

function scan(lines: readonly string[]): ScannedRecords | "no JSON" {
  const options = { maxLineBytes: 1_000_000, cells: false, namesEmpty: false };
  try {
    return scanRecords(openSource({ bytes: Buffer.from(lines.join("\n")) }), options);
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
}

/** A line that begins with a space is parsed. */
function scanParsed(lines: readonly string[]): ScannedRecords | "no JSON" {
  const scanned = scan(lines.map((line) => ` ${line}`));
  return scanned === "no JSON" ? scanned : { ...scanned, longestBytes: scanned.longestBytes - 1 };
}

const digits = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), minLength: 1, maxLength: most });
const numeral = fc
  .tuple(fc.constantFrom("", "-"), digits(18), fc.option(digits(20)), fc.option(digits(2)))
  .map(([sign, whole, fraction, exponent]) => {
    const tail = `${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e-${exponent}`}`;
    return `${sign}${whole.replace(/^0+(?=\d)/, "")}${tail}`;
  });
const value = fc.oneof(
  { weight: 3, arbitrary: numeral },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)) },
  fc.constantFrom("true", "false", "null", "-0", "0.0", "1e3", '"\\ud800"', '"\\u00e9\\n"', "[]"),
  fc.json({ maxDepth: 1 }),
);
const key = fc.constantFrom("id", "a b", "ü", 'q"', "n", "7", "__proto__", "", "\ud800");
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 5 });

/** A line with these keys in this order, as most writers write it. */
function lineOf(names: readonly string[], gap: string): fc.Arbitrary<string> {
  return fc.tuple(...names.map(() => value)).map((values) => {
    const members = names.map((name, at) => `${JSON.stringify(name)}:${gap}${values[at]}`);
    return `{${members.join(`,${gap}`)}}`;
  });
}

/** Lines alike, and among them others: with other keys, keys twice, in other places, or cut off. */
const lines = fc
  .tuple(keys, fc.constantFrom("", " "))
  .chain(([names, gap]) =>
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: lineOf(names, gap) },
        { weight: 1, arbitrary: fc.array(key, { maxLength: 4 }).chain((any) => lineOf(any, gap)) },
        { weight: 1, arbitrary: value },
      ),
      { minLength: 1, maxLength: 12 },
    ),
  );

it("lines that are not parsed have the columns of lines that are", () => {
  fc.assert(
    fc.property(lines, (all) => {
      expect(scan(all)).toEqual(scanParsed(all));
    }),
    { numRuns: 300 },
  );
});

it("objects and lists have the columns that they have in lines that are parsed", () => {
  const nested = fc.oneof(
    { weight: 6, arbitrary: fc.json({ maxDepth: 2 }).filter((json) => /^[[{]/.test(json)) },
    fc.constantFrom('{"a":1,"a":2}', '{"a": {"b": "}]", "c": [1.5]}}', '{"\\ud800":[]}', "null"),
    {
      weight: 1,
      arbitrary: fc.constantFrom("[1,]", '{"a":1]', "[", "]", "[}", '{"a" 1}', '["\t"]', "5"),
    },
  );
  const line = fc.tuple(nested, value, nested).map(([a, b, c]) => `{"a":${a},"b":${b},"c":${c}}`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (all) => {
      expect(scan(all)).toEqual(scanParsed(all));
    }),
    { numRuns: 300 },
  );
});

it("numerals that are not parsed have the type of numbers that are", () => {
  const whole = [
    "0",
    "1",
    "95",
    "123456789012345",
    "999999999999999",
    "9007199254740993",
    "01",
    "",
  ];
  const fraction = ["", ".", ".0", ".5", ".50", ".05", ".125", ".0000001", ".14285714285714285"];
  const nearInteger = [`.${"9".repeat(20)}`, `.${"0".repeat(20)}1`, ".0000000000000000", ".99"];
  const any = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.constantFrom(...whole),
      fc.constantFrom(...fraction, ...nearInteger),
    )
    .map((parts) => `{"n":${parts.join("")}}`);
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 3 }), (all) => {
      expect(scan(all)).toEqual(scanParsed(all));
    }),
    { numRuns: 300 },
  );
});

it("a line that lacks one byte, or has one more, is told as one that is parsed", () => {
  const byte = fc.constantFrom(
    "",
    '"',
    "\\",
    "{",
    "}",
    ",",
    ":",
    ".",
    "0",
    "-",
    "e",
    "\t",
    " ",
    "x",
  );
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), byte, (all, which, where, put) => {
      const at = which % all.length;
      const broken = [...all];
      const line = broken[at] ?? "";
      const place = where % (line.length + 1);
      broken[at] = line.slice(0, place) + put + line.slice(place + (put === "" ? 1 : 0));
      expect(scan(broken)).toEqual(scanParsed(broken));
    }),
    { numRuns: 300 },
  );
});
