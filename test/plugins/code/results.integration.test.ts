import { afterAll, describe, expect, it } from "vitest";

import { hostOf, recordsBody, resultOf, returnOf, startCode } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());

const run = (code: string) =>
  returnOf(engine, code, hostOf({ r: recordsBody([{ a: 1 }, { a: 2 }]) }));

describe("what code gives", () => {
  it.each([
    ["a return", "const a = 1; return a + 1", 2],
    ["what an asynchronous function gives", "async function main() { return 7 } return main()", 7],
    ["a text as it is", "return 'a \"text\"'", 'a "text"'],
    [
      "a Map as pairs",
      "return new Map([[9, 1], ['a', 3]])",
      [
        [9, 1],
        ["a", 3],
      ],
    ],
    ["an error within, as text", "return { e: new TypeError('no') }", { e: "TypeError: no" }],
    [
      "a reading",
      "return { one: outputs.open('r').take(1), no: null }",
      { one: [{ a: 1 }], no: null },
    ],
    ["a large number as text", "return { n: 2n ** 70n }", { n: "1180591620717411303424" }],
    ["half a surrogate pair, replaced", "return '😀a\\ud800b'", "😀a\ufffdb"],
    ["a number that JSON has no word for, as text", "return 0 / 0", "NaN"],
  ])("is %s", async (_, code, value) => {
    expect(await run(code)).toEqual(value);
  });

  it.each([
    ["return [1, 2].map(async (x) => x)", "a promise has no JSON: write await before it"],
    ["return { a: Promise.resolve(9) }", "a promise has no JSON: write await before it"],
    ["async function main() { throw new Error('stray') } main()", "stray"],
  ])("is no value that waits: %s", async (code, message) => {
    const { error, returned } = await resultOf(engine, code);
    expect(returned).toBeUndefined();
    expect(error).toContain(message);
  });

  it.each(["const a = 1; a", "for (const x of [1]) x", "return", ""])(
    "is nothing of %j, which does not return",
    async (code) => {
      expect((await resultOf(engine, code)).returned).toBeUndefined();
    },
  );

  it("keeps code apart that would end the function around it", async () => {
    const { error } = await resultOf(engine, "return 1 } ; x(); async () => {");
    expect(error).toMatch(/^SyntaxError/);
  });

  it("forgets everything between runs", async () => {
    await run("globalThis.left = 1; Array.prototype.map = null; Object.prototype.x = 5; 1");
    expect(await run("return [typeof left, typeof [].map, ({}).x === undefined]")).toEqual([
      "undefined",
      "function",
      true,
    ]);
  });

  it("prints values in a line each, whatever the method of console", async () => {
    const code =
      "print('a', 1, { b: [2] }, undefined, null); console.log(new Map([[1, 2]])); console.error(new Error('x'))";
    const { printed, returned } = await resultOf(engine, code);
    expect(printed).toEqual({
      form: "text",
      text: 'a 1 {"b":[2]} undefined null\n[[1,2]]\nError: x',
    });
    expect(returned).toBeUndefined();
  });

  it("keeps a returned value beyond the limit, and one of exactly the limit not", async () => {
    const host = hostOf();
    const more = { maxOutputBytes: 1000 };
    expect(await returnOf(engine, "return 'é'.repeat(500)", host, more)).toBe("é".repeat(500));
    expect(await returnOf(engine, "return 'é'.repeat(500) + 'x'", host, more)).toEqual({
      keptAs: "made-0",
      form: "text",
    });
    expect(host.kept).toEqual([{ from: "returned", text: `${"é".repeat(500)}x` }]);
  });

  it("keeps printed lines beyond the limit, whole", async () => {
    const host = hostOf();
    const code = "for (let i = 0; i < 100000; i += 1) print('line', i); return 'done'";
    const { printed, returned } = await resultOf(engine, code, host, { maxOutputBytes: 1000 });
    const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join("");
    expect(printed).toEqual({ form: "text", keptAs: "made-0" });
    expect(returned).toMatchObject({ text: "done" });
    expect(host.kept[0]?.text === text).toBe(true);
  });

  it("says that a value could not be stored", async () => {
    const host = hostOf({}, { keep: () => Promise.reject(new Error("the disk is full")) });
    const { error, returned } = await resultOf(engine, "return 'x'.repeat(2000)", host, {
      maxOutputBytes: 1000,
    });
    expect(error).toContain("the disk is full");
    expect(returned).toEqual({ form: "text", text: "x".repeat(1000), isCut: true });
  });

  it("gives what was printed before a fault", async () => {
    const { printed, error } = await resultOf(engine, "print('one'); nothing.here");
    expect(printed).toEqual({ form: "text", text: "one" });
    expect(error).toBe("ReferenceError: nothing is not defined");
  });

  it.each([
    ["a reading leaves", "const rows = outputs.open('r'); rows.next(); return rows", [{ a: 2 }]],
    ["its methods leave", "return outputs.open('r').filter((r) => r.a % 2).map((r) => r.a)", [1]],
  ])("gives the records that %s", async (_, code, left) => {
    expect(await run(code)).toEqual(left);
  });
});

it("the clock and chance of a run are the host's, in UTC, whatever the host is in", async () => {
  expect(await run("return Math.random()")).not.toBe(await run("return Math.random()"));
  expect(await run("return Math.abs(Date.now() - 0)")).toBeGreaterThan(1_700_000_000_000);
  expect(await run("return new Date().getTimezoneOffset()")).toBe(0);
});
