import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import type { CodeBody } from "../../../src/plugins/code/request.js";
import { bodyOf, hostOf, recordsBody, resultOf, returnOf, startCode } from "./code-runs.js";
import { newDirectory } from "../../after-file.js";

const engine = startCode();
const folder = newDirectory();
afterAll(() => engine.close());

const PEOPLE = [
  { id: 1, name: "Ann", address: { city: "Rome", zip: "1" }, tags: [{ name: "x", n: 1 }] },
  { id: 2, name: "Bob", address: { city: "Oslo", zip: "2" }, tags: [], "address.zip": "flat" },
];
const host = hostOf({ records: recordsBody(PEOPLE) });
const run = (code: string, on = host) => returnOf(engine, code, on);

it.each<[string, string, unknown, Record<string, CodeBody>?]>([
  ["records in their order, whole", "return [...outputs.open('records')]", PEOPLE],
  [
    "records with the fields that are asked for",
    "return [...outputs.open('records', ['id', 'address.zip'])]",
    [
      { id: 1, address: { city: "Rome", zip: "1" } },
      { id: 2, address: { city: "Oslo", zip: "2" }, "address.zip": "flat" },
    ],
  ],
  [
    "records by for await, and by hand",
    `let n = 0; for await (const r of outputs.open('records')) n += r.id;
      const r = outputs.open('records'); return [n, r.next().value.id, r.next().done, r.next().done]`,
    [3, 1, false, true],
  ],
  [
    "a table as objects of strings",
    "return [[...outputs.open('t')], [...outputs.open('t', ['id'])]]",
    [
      [
        { id: "1", name: 'a, "b"' },
        { id: "2", name: "" },
      ],
      [{ id: "1" }, { id: "2" }],
    ],
    { t: bodyOf("rows", 'id,name\n1,"a, ""b"""\n2,\n') },
  ],
  [
    "a document that is a list, or several values on whatever lines one after the other",
    "return [[...outputs.open('list')], [...outputs.open('d')]]",
    [
      [1, 2, 3],
      [{ a: 1 }, { a: 2 }, [3], "four"],
    ],
    {
      list: bodyOf("document", "[1,2,3]"),
      d: bodyOf("document", '{"a":1} {"a":\n2}\n\n[3]\n"four"', { isOneValue: false }),
    },
  ],
  [
    "text in lines without their ends",
    "return [[...outputs.lines('t')], [...outputs.lines('empty')]]",
    [["one", "", "two", "é😀"], []],
    { t: bodyOf("text", "one\r\n\ntwo\né😀"), empty: bodyOf("text", "") },
  ],
])("code reads %s", async (_, code, expected, bodies) => {
  expect(await run(code, bodies && hostOf(bodies))).toEqual(expected);
});

it.each([
  ["1764535200000001", false],
  ["9007199254740993", true],
])("code is told whether %s was rounded", async (at, hasLongIntegers) => {
  const held = hostOf({ r: bodyOf("records", `{"at":${at}}\n`) });
  const result = await resultOf(engine, "[...outputs.open('r')]", held);
  expect(result).toMatchObject({ hasLongIntegers });
});

it("a field that no record has is an error", async () => {
  const missing = "for (const r of outputs.open('records', ['id', 'nam'])) print(r.id)";
  const { error } = await resultOf(engine, missing, host);
  expect(error).toBe('no record has the field "nam"\nLine 1');
});

it("records of many blocks come whole, in order", async () => {
  const many = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `né😀 ${id}`.repeat(3) }));
  const path = join(folder, "many.jsonl");
  const text = many.map((record) => `${JSON.stringify(record)}\n`).join("");
  await writeFile(path, `{"header":1}\n${text}`, { mode: 0o600 });
  const end = Buffer.byteLength(text) + 13;
  const body = { ...recordsBody([]), source: { path, start: 13, end } };
  const code =
    "let n = 0, ok = true; for (const r of outputs.open('m')) { ok = ok && r.id === n && r.text.startsWith('né😀 ' + n); n += 1 } return [n, ok]";
  expect(await run(code, hostOf({ m: body }))).toEqual([30_000, true]);
});

describe("the sets of a document", () => {
  const orders = '{"id":1},\n{"id":2}\n';
  const people = '"a":{"n":5},\n"b":{"n":6}\n';
  const before = '{"orders":[\n';
  const between = '],"by":{"people":{\n';
  const start = before.length + orders.length + between.length;
  const text = `${before}${orders}${between}${people}}}}`;
  const first = { start: before.length, end: before.length + orders.length, firstLine: 2 };
  const second = { start, end: start + people.length, firstLine: 5 };
  const sets = [
    { path: ["orders"], count: 2, table: "orders", lines: first },
    { path: ["by", "people"], count: 2, table: "people", isMap: true, lines: second },
  ] as const;
  const asCame = sets.map((set) => ({ ...set, lines: undefined }));

  it.each([
    ["on lines of their own", sets],
    ["as they came", asCame],
  ])("are read by their names, %s", async (_, sets) => {
    const on = hostOf({ d: bodyOf("document", text, { sets }) });
    const orders = [{ id: 1 }, { id: 2 }];
    const people = [
      { key: "a", value: { n: 5 } },
      { key: "b", value: { n: 6 } },
    ];
    const code = `const all = (...asked) => [...outputs.open('d', ...asked)];
      return [all('orders'), all(['id'], '.orders[]'), all('.by.people | to_entries[]')]`;
    expect(await run(code, on)).toEqual([orders, orders, people]);
  });
});

describe("what cannot be read", () => {
  it("is an exception with the host's words, at its line", async () => {
    const { error } = await resultOf(engine, "const a = 1;\noutputs.open('other')");
    expect(error).toBe("there is no output other\nLine 2");
    expect(await run("try { outputs.open('x') } catch (e) { return e.message }")).toBe(
      "there is no output x",
    );
  });

  it.each(["[...outputs.open('m')]", "[...outputs.lines('m')]", "outputs.read('m')"])(
    "is gone where its file is, and names no file of the host: %s",
    async (code) => {
      const path = join(folder, "gone.jsonl");
      const body = { ...recordsBody([]), source: { path, start: 0, end: 10 } };
      const { error } = await resultOf(engine, code, hostOf({ m: body }));
      expect(error).toBe("this output cannot be read: ENOENT\nLine 1");
    },
  );

  it.each(['{"a":1', '{"a"}', '{"a":}', '{"b":{"a":1}', '{"b":"x}', '{"a":2}}'])(
    "is a record that is damaged, with fields too: %s",
    async (line) => {
      const m = bodyOf("records", `{"a":1}\n${line}\n`);
      const { error } = await resultOf(engine, "[...outputs.open('m', ['a'])]", hostOf({ m }));
      expect(error).toMatch(/\nLine 1$/);
    },
  );

  it("is a document too large to be held", async () => {
    const small = startCode({ maxMemoryMb: 8 });
    const on = hostOf({ t: bodyOf("text", "x".repeat(5_000_000)) });
    const { error } = await resultOf(small, "outputs.read('t')", on);
    await small.close();
    expect(error).toContain("outputs.lines(id) reads its lines one by one");
  });
});
