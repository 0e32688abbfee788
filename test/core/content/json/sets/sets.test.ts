import { describe, expect, it } from "vitest";

import { identifyContent } from "../../../../../src/core/content/identify.js";
import { tableNames } from "../../../../../src/core/content/json/sets/set-names.js";
import { type Content, documentSets, setsOf } from "../../../../../src/core/types/content.js";

const records = (count: number, name = "n"): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: index, [name]: `${name} ${index}` }));

const identified = (value: unknown): Promise<Content> => identifyContent(JSON.stringify(value));

const found = (content: Content): [string, number][] =>
  (documentSets(content) ?? []).map(({ path, count }) => [path.join("."), count]);

describe("which arrays are sets", () => {
  it("takes two arrays of weight as two, the larger one first", async () => {
    const content = await identified({ refunds: records(499), orders: records(500, "customer") });
    expect(content).toMatchObject({ layout: "document", kind: "json-object" });
    expect(found(content)).toEqual([
      ["orders", 500],
      ["refunds", 499],
    ]);
    expect(setsOf(content)[0]?.count).toBe(500);
  });

  it.each([
    ["a list of objects", { refunds: records(12) }],
    ["one of which half are", { of: { refunds: [1, {}, 2, {}] } }],
    ["a map of like objects", { users: { a: { age: 1 }, b: { age: 2 }, c: { age: 3 } } }],
  ])("hides %s beside a set in no header, however short it is", async (_, beside) => {
    const content = await identified({ orders: records(500), ...beside });
    expect(content).toMatchObject({ layout: "document" });
    expect(found(content)).toEqual([["orders", 500]]);
    expect(JSON.parse(setsOf(content)[0]?.envelope ?? "")).toEqual({ orders: [], ...beside });
  });

  it("finds sets and maps of like objects down to four keys, and none in another one", async () => {
    const users = Object.fromEntries(records(60).map((one, index) => [`user ${index}`, one]));
    const list = { a: { b: { c: { d: records(80) } } }, of: { users }, more: records(70) };
    const content = await identified(list);
    expect(found(content)).toEqual([
      ["of.users", 60],
      ["a.b.c.d", 80],
      ["more", 70],
    ]);
    expect(documentSets(content)?.[0]?.isMap).toBe(true);
  });

  it("takes columns of one length for a document, and a list of another length beside them for records", async () => {
    const time = Array.from({ length: 500 }, (_, hour) => `2026-01-01T${hour}`);
    const columns = { unit: "°C", hourly: { time, temperature: time.map((_, at) => at / 10) } };
    const read = await identifyContent(JSON.stringify(columns));
    expect(read).toMatchObject({ kind: "json-document", records: undefined });
    const others = { hourly: { time, temperature: [1, 2, 3] } };
    const other = await identifyContent(JSON.stringify(others));
    expect(other.records).toMatchObject({ count: 500, path: ["hourly", "time"] });
  });

  it("bounds them: of ten thousand arrays sixteen are sets, and all others are around these", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`set ${index}`, records(60)]),
    );
    const content = await identified(many);
    expect(documentSets(content)).toHaveLength(16);
    const around: object = JSON.parse(setsOf(content)[0]?.envelope ?? "");
    expect(Object.keys(around)).toHaveLength(10_000);
    expect(Object.values(around).filter((array) => array.length === 60)).toHaveLength(9_984);
  });
});

describe("a list that begins with something else than what it holds", () => {
  const ids = Array.from({ length: 500 }, (_, at) => `a long name with the number ${at}`);
  const numbers = ids.map((_, at) => at);

  it("is a column where all its values are scalars, the first one `null` too", async () => {
    for (const columns of [
      { ids, numbers: [null, ...numbers.slice(1)] },
      { ids: [null, ...ids.slice(1)], numbers },
    ])
      expect((await identified(columns)).records).toBeUndefined();
  });

  it("is no column where it holds objects", async () => {
    const records = ["a title", ...numbers.slice(1).map((id) => ({ id, text: "x".repeat(50) }))];
    expect(setsOf(await identified({ records, numbers }))).toMatchObject([{ count: 500 }]);
    const few = ["a title", ...numbers.slice(1).map(() => ({}))];
    expect(setsOf(await identified({ ids, few }))).not.toEqual([]);
  });
});

it("names of tables are plain, different in more than upper case, and none of SQL's words", () => {
  const paths = [
    ["orders"],
    ["Orders"],
    ["data", "order items"],
    ["order"],
    ["1st"],
    ["日本"],
    [""],
  ];
  expect(tableNames([...paths, ["output"], ["rest"], ["x".repeat(90)]])).toEqual([
    "orders",
    "Orders_2",
    "data_order_items",
    "set_order",
    "set_1st",
    "set",
    "set_2",
    "output_2",
    "rest",
    "x".repeat(40),
  ]);
});
