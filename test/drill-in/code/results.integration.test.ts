import { afterAll, describe, expect, it } from "vitest";

import { hostOf, recordsBody, resultOf, returnOf, startCode } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());

const run = (code: string) =>
  returnOf(engine, code, hostOf({ r: recordsBody([{ a: 1 }, { a: 2 }]) }));

describe("what code gives", () => {
  it.each([
    ["a last expression", "const a = 1; a + 1", 2],
    ["a return", "const a = 1; return a + 1", 2],
    ["a return inside of a condition", "if (true) { return 'yes' } 'no'", "yes"],
    ["an await at the top", "const a = await Promise.resolve(4); a", 4],
    ["an await and a return", "return await Promise.resolve(5)", 5],
    ["a promise as the last expression", "async function main() { return 7 } main()", 7],
    ["an arrow function that is called", "(() => 3)()", 3],
    ["an object in brackets", "({ a: [1, { b: null }] })", { a: [1, { b: null }] }],
    ["a text as it is", "'a \"text\"'", 'a "text"'],
    [
      "a Map as an object",
      "new Map([['a', 1], ['c', new Map([['b', 3]])]])",
      { a: 1, c: { b: 3 } },
    ],
    [
      "a Map whose keys an object would sort as pairs",
      "new Map([[9, 1], [2, 3]])",
      [
        [9, 1],
        [2, 3],
      ],
    ],
    [
      "a Map whose keys would be one as pairs",
      "new Map([[null, 1], ['null', 2]])",
      [
        [null, 1],
        ["null", 2],
      ],
    ],
    [
      "a number within that JSON has no word for, as text",
      "return { a: [NaN, 1 / 0, null] }",
      { a: ["NaN", "Infinity", null] },
    ],
    [
      "an error within, as text",
      "return { e: new TypeError('no'), r: /a/g }",
      { e: "TypeError: no", r: "/a/g" },
    ],
    [
      "a reading beside nothing",
      "return { one: outputs.open('r').take(1), no: null }",
      { one: [{ a: 1 }], no: null },
    ],
    ["a Set as a list", "return new Set(['a', 'b'])", ["a", "b"]],
    [
      "a large number",
      "return { n: 2n ** 70n, small: 5n }",
      { n: "1180591620717411303424", small: 5 },
    ],
    ["a bare large number as text", "2n ** 70n", "1180591620717411303424"],
    ["characters beyond the basic plane", "'😀'.repeat(3)", "😀😀😀"],
    ["half a surrogate pair, replaced", "'a\\ud800b'", "a\ufffdb"],
    ["a date", "new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["the value of variables without a declaration", "x = 5; x * 2", 10],
    ["a number that JSON has no word for, as text", "return 0 / 0", "NaN"],
    ["an error, as text", "return new RangeError('far')", "RangeError: far"],
    ["the value of a file that names its program", "#!/usr/bin/env node\nreturn 7", 7],
  ])("is %s", async (_, code, value) => {
    expect(await run(code)).toEqual(value);
  });

  it.each([
    ["[1, 2].map(async (x) => x)", "a promise has no JSON: write await before it"],
    ["return { a: Promise.resolve(9) }", "a promise has no JSON: write await before it"],
    ["(async function* () {})()", "an asynchronous generator has no JSON"],
    ["queueMicrotask(() => { throw new Error('stray') }); 1", "stray"],
  ])("is no value that waits: %s", async (code, message) => {
    const { fault, returned } = await resultOf(engine, code);
    expect(returned).toBeUndefined();
    expect(fault?.message).toContain(message);
  });

  it("forgets everything between runs", async () => {
    await run("globalThis.left = 1; Array.prototype.map = null; Object.prototype.x = 5; 1");
    expect(await run("[typeof left, typeof [].map, ({}).x === undefined]")).toEqual([
      "undefined",
      "function",
      true,
    ]);
  });

  it("keeps printed lines beyond the limit, whole", async () => {
    const host = hostOf();
    const code = "for (let i = 0; i < 100000; i += 1) print('line', i); return 'done'";
    const { printed, returned } = await resultOf(engine, code, host, { maxOutputBytes: 1000 });
    const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join("");
    expect(printed).toEqual({ keptAs: "made-0", sizeBytes: text.length });
    expect(returned).toMatchObject({ text: "done" });
    expect(host.kept[0]?.text === text).toBe(true);
  });

  it("gives the records that are left when a reading is returned", async () => {
    const host = hostOf({ records: recordsBody([{ a: 1 }, { a: 2 }, { a: 3 }]) });
    const code = "const rows = outputs.open('records'); rows.next(); rows";
    expect(await returnOf(engine, code, host)).toEqual([{ a: 2 }, { a: 3 }]);
  });
});

describe("a run that can be repeated", () => {
  it("gives the same random numbers and the same time, byte for byte", async () => {
    const code =
      "return [Array.from({ length: 50 }, Math.random), Date.now(), new Date(), performance.now()]";
    const repeatable = { seed: 42, nowMs: 1_700_000_000_000 };
    const once = await resultOf(engine, code, hostOf(), { repeatable });
    const again = await resultOf(engine, code, hostOf(), { repeatable });
    const other = await resultOf(engine, code, hostOf(), {
      repeatable: { ...repeatable, seed: 43 },
    });
    expect(again.returned).toEqual(once.returned);
    expect(other.returned).not.toEqual(once.returned);
    expect(once.returned).toMatchObject({ text: expect.stringContaining("2023-11-14T22:13:20") });
  });
});
