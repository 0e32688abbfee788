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
    ["let c = 0; for (const r of outputs.open('r')) c++; c // all of them", 2],
    ["let c = 0;\nfor (const r of outputs.open('r')) {\n  c++;\n}\n\nc;\n// The count.\n", 2],
    ["[...outputs.open('r')]\n  .map((r) => {\n    return r.a;\n  });", [1, 2]],
    ["`http://a\n//b`", "http://a\n//b"],
  ])("is the last expression, wherever it stands: %j", async (code, value) => {
    expect(await run(code)).toEqual(value);
  });

  it.each([
    "let c = 0; for (const r of outputs.open('r')) c++;",
    "let c = 0;\nfor (const r of outputs.open('r')) {\n  c++;\n}",
    "let c = 0;\nfor (const r of outputs.open('r'))\n  c++",
    "let c = 0; if (true) c = 5; else\n c = 6",
    "try { 5 } finally {}",
    "switch (1) { case 1: 7 }",
    "5; { 7 }",
    "5; do 7; while (false)",
  ])("is not that of a statement: %j", async (code) => {
    expect(await run(code)).toBeUndefined();
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

  it.each(["const a = 1", "for (const x of [1]) {}", "return", "undefined", ""])(
    "is nothing of %s",
    async (code) => {
      expect((await resultOf(engine, code)).returned).toBeUndefined();
    },
  );

  it("keeps code apart that would end the function around it", async () => {
    const { fault } = await resultOf(engine, "return 1 } ; x(); async () => {");
    expect(fault?.message).toMatch(/^SyntaxError/);
  });

  it("forgets everything between runs", async () => {
    await run("globalThis.left = 1; Array.prototype.map = null; Object.prototype.x = 5; 1");
    expect(await run("[typeof left, typeof [].map, ({}).x === undefined]")).toEqual([
      "undefined",
      "function",
      true,
    ]);
  });

  it("prints values in a line each, whatever the method of console", async () => {
    const code =
      "print('a', 1, { b: [2] }, undefined, null); console.log(new Map([[1, 2]])); console.error(new Error('x'))";
    const { printed, returned } = await resultOf(engine, code);
    expect(printed).toEqual({ text: 'a 1 {"b":[2]} undefined null\n[[1,2]]\nError: x' });
    expect(returned).toBeUndefined();
  });

  it("keeps a returned value beyond the limit, and one of exactly the limit not", async () => {
    const host = hostOf();
    const more = { maxOutputBytes: 1000 };
    expect(await returnOf(engine, "'é'.repeat(500)", host, more)).toBe("é".repeat(500));
    expect(await returnOf(engine, "'é'.repeat(500) + 'x'", host, more)).toEqual({
      keptAs: "made-0",
      sizeBytes: 1001,
      form: "text",
    });
    expect(host.kept).toEqual([{ from: "returned", form: "text", text: `${"é".repeat(500)}x` }]);
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

  it("says that a value could not be stored", async () => {
    const host = hostOf({}, { keep: () => Promise.reject(new Error("the disk is full")) });
    const { fault, returned } = await resultOf(engine, "'x'.repeat(2000)", host, {
      maxOutputBytes: 1000,
    });
    expect(fault?.message).toContain("the disk is full");
    expect(returned).toEqual({
      form: "text",
      text: `${"x".repeat(1000)}\n[More was returned, which is lost.]`,
    });
  });

  it("gives what was printed before a fault", async () => {
    const { printed, fault } = await resultOf(engine, "print('one'); nothing.here");
    expect(printed).toEqual({ text: "one" });
    expect(fault?.message).toBe("ReferenceError: nothing is not defined");
  });

  it("gives the records that are left when a reading is returned", async () => {
    const host = hostOf({ records: recordsBody([{ a: 1 }, { a: 2 }, { a: 3 }]) });
    const code = "const rows = outputs.open('records'); rows.next(); rows";
    expect(await returnOf(engine, code, host)).toEqual([{ a: 2 }, { a: 3 }]);
  });

  it("gives the records that the methods of a reading leave", async () => {
    const host = hostOf({ records: recordsBody([{ a: 1 }, { a: 2 }, { a: 3 }]) });
    const code = "return { odd: outputs.open('records').filter((r) => r.a % 2).map((r) => r.a) }";
    expect(await returnOf(engine, code, host)).toEqual({ odd: [1, 3] });
  });
});

describe("the clock and chance of a run", () => {
  it("are the host's", async () => {
    expect(await run("Math.random()")).not.toBe(await run("Math.random()"));
    expect(await run("Math.abs(Date.now() - 0)")).toBeGreaterThan(1_700_000_000_000);
  });

  it("are in UTC, whatever the host is in", async () => {
    expect(await run("new Date().getTimezoneOffset()")).toBe(0);
  });
});
