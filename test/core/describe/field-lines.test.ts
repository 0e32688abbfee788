import { describe, expect, it, vi } from "vitest";
import { type FieldLines, fieldLines } from "../../../src/core/describe/field-lines.js";
import { Place } from "../../../src/core/profile/place.js";
import { profileRecords } from "../../../src/core/profile/profile.js";
import type { Content } from "../../../src/core/types/content.js";
import { recordsContent, valuesContent } from "./fixture.js";
import { times } from "./samples.js";

async function linesOf(content: Content, characters = Infinity): Promise<FieldLines> {
  const profile = await profileRecords(content);
  const isTable = content.layout === "rows";
  return fieldLines([{ profile, isTable }], characters)[0] ?? {};
}

describe("the lines of fields", () => {
  it("are written for no more fields than there may be room for", async () => {
    const record = Object.fromEntries(times(2_000, (n) => [`f${n}`, n]));
    const profile = await profileRecords(valuesContent([record, record]));
    const looked = vi.spyOn(Place.prototype, "kinds", "get");
    const [lines] = fieldLines([{ profile, isTable: false }], 500);
    expect(looked.mock.calls.length).toBeLessThan(400);
    looked.mockRestore();
    expect(Object(lines)["…"]).toMatch(/^1,9\d\d more fields/);
  });

  it.each([
    ["an integer beyond 2^53", ["9007199254740993", "1"], "integer, e.g. 1"],
    ["one that is exact there", ["9007199254740992", "1"], "integer 1 to 9007199254740992, unique"],
    ["an overflow", ["1e400", "1"], "number, e.g. 1"],
    ["an underflow", ["1e-400", "1"], "number, e.g. 1"],
    ["digits that a double has no room for", ["0.30000000000000000001", "1"], "number, e.g. 1"],
    ["as many as fit", ["0.30000000000000004", "1"], "number 0.30000000000000004 to 1, unique"],
    ["as many in another spelling", ["1.50e2", "1000000000000000000e-18"], "number, e.g. 150"],
  ])("say nothing false of %s", async (_, numbers, expected) => {
    const lines = numbers.map((n) => `{"n":${n},"s":"9007199254740993 \\"1e400"}`);
    expect(await linesOf(recordsContent(lines))).toMatchObject({
      n: expected,
      s: 'text: "9007199254740993 \\"1e400" ×2',
    });
  });

  it("end inside of no other braces where there is no room for all fields", async () => {
    const wide = Object.fromEntries(times(14, (n) => [`a_field_of_many_${n}`, { a: { b: n } }]));
    const fields = /^1× \{k+: integer, (?:a_\w+: \{…\}, )+…\} or 1× integer 1$/;
    for (const length of times(30, (n) => n + 1)) {
      const lines = await linesOf(valuesContent([{ ["k".repeat(length)]: 1, ...wide }, 1]));
      expect(Object(lines)["(record)"]).toMatch(fields);
    }
  });

  it("tell lists in lists once, however deep they are", async () => {
    // Told anew at each level, these would be five to the eleventh.
    const nested = times(11, (level) => level).reduce<unknown>(
      (inner, level) => [
        { ...Object.fromEntries(times(8, (key) => [`a_long_key_${level}_${key}`, key])), inner },
      ],
      1,
    );
    const lines = await linesOf(valuesContent([{ nested }, { nested }]));
    expect(lines).toHaveProperty("nested", expect.stringMatching(/^list of 1: \{a_long_key_10_0/));
    const lists = times(11, () => 0).reduce<unknown>((inner) => [inner], 1);
    expect(await linesOf(valuesContent([{ lists }, { lists }]))).toEqual({
      lists: `list of 1: ${"list of ".repeat(10)}integer`,
    });
  });

  it("tell null from absent, and texts without a character from both", async () => {
    const records = [{ a: 1, t: "x" }, { a: null, t: "" }, { t: "x" }, { t: null }];
    expect(await linesOf(valuesContent(records))).toEqual({
      t: "text: x ×2; 1 null; 1 empty",
      a: "integer: 1 ×1; 1 null; absent in 2",
    });
  });

  it("tell the length of long texts in characters, as jq and SQL count them", async () => {
    const records = [{ t: "😀".repeat(250) }, { t: "😀".repeat(300) }];
    expect(await linesOf(valuesContent(records))).toMatchObject({
      t: expect.stringContaining("up to 300 characters"),
    });
  });

  it("take a text that looks like something else for a text", async () => {
    const content = valuesContent(
      times(60, (index) => ({
        price: `$${index}.95`,
        zip: `0${1000 + index}`,
        version: "1.1.10",
        code: "10-12-20",
        flag: index % 2 ? "true" : "null",
        amount: index % 20 ? String(index) : "n/a",
        day: index % 2 ? "2026-01-02" : "2026-01-02T10:00:00Z",
      })),
    );
    expect(await linesOf(content)).toEqual({
      price: 'text, unique, e.g. "$0.95"',
      zip: "text, unique, e.g. 01000",
      version: "text: 1.1.10 ×60",
      code: "text: 10-12-20 ×60",
      flag: 'text: "null" ×30, "true" ×30',
      amount: expect.stringMatching(/^text, 58 distinct, e\.g\. /),
      day: 'text: "2026-01-02T10:00:00Z" ×30, 2026-01-02 ×30',
    });
  });

  it("name what is in lists and maps, odd members, and lists that are columns", async () => {
    const records = times(20, (index) => ({
      "http.status": index,
      orders: times(index % 3, (order) => ({ sku: `s${order}`, price: order })),
      prices: { [`p${index}`]: index === 7 ? "none" : index },
      series: { time: times(9, String), value: times(9, (at) => at) },
    }));
    expect(await linesOf(valuesContent(records))).toMatchObject({
      '"http.status"': "integer 0 to 19, unique",
      orders: "list of 0 to 2: {sku, price: integer}",
      "orders[].price": "integer: 0 ×13, 1 ×6",
      prices: "map with 20 keys (p0, p1, p2, …), apart from 1 text (p7), each integer",
      series: "2 lists of equal length: time, value",
      "series.value": expect.stringMatching(/^list of 9: integer 0 to 8$/),
    });
    const lengths = [9, 10].map((length) => ({
      series: { x: times(9, String), y: times(length, String) },
    }));
    expect(await linesOf(valuesContent(lengths))).not.toHaveProperty("series");
  });

  it("tell how many records are null or empty where records have no fields", async () => {
    expect(await linesOf(valuesContent(["2026-01-02", "", null, ""]))).toBe(
      "text (dates): 2026-01-02 ×1; 1 null; 2 empty",
    );
  });

  it("call no text a date or number, and no values all, where empty ones are not told", async () => {
    const records = times(40, (at) => ({
      days: ["2026-01-02", at % 2 ? "" : "2026-01-03"],
      lists: [["7", ""]],
      map: { [`k${at}`]: at % 2 ? "" : "2026-01-02" },
      names: ["a", ""],
    }));
    expect(await linesOf(valuesContent(records))).toEqual({
      days: "list of 2: text: 2026-01-02 ×40, 2026-01-03 ×20, 20 empty",
      lists: "list of 1: list of text",
      map: "map with 40 keys (k0, k1, k2, …), each text",
      names: "list of 2: text: a ×40, 40 empty",
    });
  });

  it("have keys in quotes that could be taken for a path, a list or more keys", async () => {
    const record = { "": { x: 1 }, "tags[]": 1, "<key>": 1, "…": 1, "due date": { "a, b": 1 } };
    expect(Object.keys(await linesOf(valuesContent([record, record])))).toEqual([
      '"".x',
      '"tags[]"',
      '"<key>"',
      '"…"',
      'due date."a, b"',
    ]);
    const map = Object.fromEntries(times(12, (at) => [`${at}, (x)`, at % 12 ? at : "none"]));
    expect(await linesOf(valuesContent([{ map }, { map }]))).toHaveProperty(
      "map",
      'map with 12 keys ("0, (x)", "1, (x)", "2, (x)", …), apart from 2 text ("0, (x)"), each integer',
    );
  });

  it("lose counts first, then ranges, then the line, and name what has none", async () => {
    const content = valuesContent(
      times(40, (index) =>
        Object.fromEntries(times(40, (at) => [`field_${at}`, at % 2 ? index : `v${index % 3}`])),
      ),
    );
    const full = JSON.stringify(await linesOf(content)).length;
    for (const share of [1, 0.8, 0.5, 0.3, 0.1]) {
      const lines = await linesOf(content, full * share);
      const { "…": rest = "", ...shown } = lines as Record<string, string>;
      expect(JSON.stringify(shown).length).toBeLessThanOrEqual(full * share + 2);
      const hidden = 40 - Object.keys(shown).length;
      expect(rest).toMatch(hidden === 0 ? /^$/ : new RegExp(`^${hidden} more fields?: field_`));
    }
  });
});

it("a sample tells types and single values, and no count or range", async () => {
  const records = times(40_000, (index) => ({
    kind: index % 4 ? "odd" : "even",
    size: index % 500,
    note: "n".repeat(40),
    ...(index % 10 === 0 && { late: true }),
  }));
  expect(await linesOf(valuesContent(records))).toMatchObject({
    kind: "text, e.g. odd, even",
    size: expect.stringMatching(/^integer, e\.g\. \d+, \d+, \d+$/),
    late: "boolean, e.g. true; absent in some",
  });
});

describe("hostile records", () => {
  const wide = (record: number): string =>
    JSON.stringify(Object.fromEntries(times(100_000, (index) => [`k${record}_${index}`, 1])));
  it.each([
    ["with 100,000 keys, all different", () => [wide(0), wide(1), wide(2)]],
    ["with keys of 1 MB", () => [`{"${"k".repeat(1_000_000)}":1,"a":2}`, '{"a":3}']],
    ["with values of 10 MB", () => [`{"a":"${"v".repeat(10_000_000)}"}`, '{"a":"x"}']],
    ["with a number of a million digits", () => [`{"a":1${"0".repeat(1_000_000)}1}`, '{"a":1}']],
  ])("%s give lines within their room", async (_, make) => {
    const lines = await linesOf(recordsContent(make()), 1_500);
    expect(JSON.stringify(lines).length).toBeLessThan(2_000);
  });
});
