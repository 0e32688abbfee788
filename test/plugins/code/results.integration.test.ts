import { readFile } from "node:fs/promises";

import { afterAll, describe, expect, it } from "vitest";

import { code } from "../../../src/plugins/code/code.js";
import { checkVersion, quickjsPath, withMaximum } from "../../../src/plugins/code/quickjs.js";
import type { CodeToolResult } from "../../../src/plugins/code/request.js";
import { hostOf, recordsBody, resultOf, returnOf, startCode, type TestHost } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());

const run = (code: string) =>
  returnOf(engine, code, hostOf({ r: recordsBody([{ a: 1 }, { a: 2 }]) }));

describe("what code gives", () => {
  it.each([
    ["a return", "const a = 1; return a + 1", 2],
    ["what an asynchronous function gives", "async function main() { return 7 } return main()", 7],
    ["a text as it is", "return 'a \"text\"'", 'a "text"'],
    ["a Map as pairs", "return new Map([[9, 1]])", [[9, 1]]],
    ["an error within, as text", "return { e: new TypeError('no') }", { e: "TypeError: no" }],
    ["a reading", "return { one: outputs.open('r').take(1) }", { one: [{ a: 1 }] }],
    ["what a reading leaves", "const r = outputs.open('r'); r.next(); return r", [{ a: 2 }]],
    ["what methods leave", "return outputs.open('r').filter((r) => r.a % 2).map((r) => r.a)", [1]],
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
    expect(returned).toBeUndefined();
  });

  it("gives what was printed before a fault", async () => {
    const { printed, error } = await resultOf(engine, "print('one'); nothing.here");
    expect(printed).toEqual({ form: "text", text: "one" });
    expect(error).toBe("ReferenceError: nothing is not defined\nLine 1");
  });
});

it("the clock and chance of a run are the host's, in UTC, whatever the host is in", async () => {
  expect(await run("return Math.random()")).not.toBe(await run("return Math.random()"));
  expect(await run("return Math.abs(Date.now() - 0)")).toBeGreaterThan(1_700_000_000_000);
  expect(await run("return new Date().getTimezoneOffset()")).toBe(0);
});

describe("outputs.save", () => {
  it("stores records as one list, more than the vm can hold", async () => {
    const small = startCode({ maxMemoryMb: 8 });
    const host = hostOf();
    const code =
      "outputs.save('many', (function* () { for (let i = 0; i < 60000; i += 1) yield { i, text: 'x'.repeat(300) } })())";
    await returnOf(small, code, host);
    await small.close();
    const [{ from, text } = expect.fail()] = host.kept;
    expect([from, text.split("\n").length]).toEqual([{ savedAs: "many" }, 60_000]);
    expect(text.slice(0, 20)).toBe('[{"i":0,"text":"xxxx');
    expect(text.length).toBeGreaterThan(18_000_000);
  });

  it("stores nothing of records that fail in the middle, which the code may catch", async () => {
    const host = hostOf();
    const code =
      "try { outputs.save('x', (function* () { yield 1; throw new Error('stop') })()) } catch (e) { return e.message }";
    const result = await resultOf(engine, code, host);
    expect(result.returned).toMatchObject({ text: "stop" });
    expect(host.kept).toEqual([]);
  });
});

/** A host with tools that all do the same. */
function hostWith(result: CodeToolResult, bodies: Parameters<typeof hostOf>[0] = {}): TestHost {
  return hostOf(bodies, { tools: { names: ["add", "large-list"], call: async () => result } });
}

describe("tools", () => {
  it("that fail are exceptions at the line of their call", async () => {
    const host = hostWith({ error: "a must be a number" });
    const code = "const a = 1;\nawait tools.add({ a: 'x' })";
    expect((await resultOf(engine, code, host)).error).toBe("a must be a number\nLine 2");
    const caught = "try { await tools.add() } catch (e) { return e instanceof Error }";
    expect(await returnOf(engine, caught, host)).toBe(true);
  });

  it("of a large result give its data, to be iterated and opened again", async () => {
    const records = Array.from({ length: 3000 }, (_, id) => ({ id, x: "x" }));
    const stored = recordsBody(records, "stored");
    const host = hostWith({ storedId: "stored" }, { stored });
    const code = `const rows = await tools["large-list"]();
      let n = 0; for (const row of rows) n += row.id;
      return [n, rows.id, [...outputs.open(rows, ["id"])].length, [...outputs.open("stored")].length]`;
    expect(await returnOf(engine, code, host)).toEqual([4_498_500, "stored", 3000, 3000]);
    expect(host.opened).toEqual(["stored"]);
  });

  it("are bounded in number and in what they are given", async () => {
    const host = hostWith({ json: "1" });
    const calls = "await Promise.all(Array.from({ length: 2000 }, () => tools.add()))";
    const many = await resultOf(engine, calls, host);
    expect(many.error).toContain("1000 calls of tools are under way");
    const large = await resultOf(engine, "await tools.add({ a: 'x'.repeat(300000) })", host);
    expect(large.error).toMatch(/ 262,144 bytes at most: pass less, or return an id .* directly/);
  });
});

it.each([
  ["code that would end the function around it", "return 1 } ; x(); async () => {", 1],
  ["code that returns", "const a = 1;\nif (a) {\n  nothing.here\n}\nreturn a", 3],
  ["a bracket that is left open", "const a = [1;\n", 1],
  ["a promise", "const f = async () => {\n  throw new Error('no');\n};\nawait f()", 2],
])("a fault of the code has the line of %s", async (_, code, line) => {
  expect((await resultOf(engine, code)).error).toMatch(new RegExp(`\n?Line ${line}$`));
});

describe("code", () => {
  it.each(["3.6.2", "3.7.1"])("does not take version %s of its engine", (version) => {
    expect(() => checkVersion(version)).toThrow(/npm install quickjs-wasi@3\.7\.0/);
  });

  it.each([
    [{ tools: "search" }, "tools"],
    [{ maxMemoryMb: 64 }, "maxMemoryMb"],
  ])("refuses the options %j", (options, word) => {
    expect(() => code(options as object)).toThrow(word);
  });

  it("starts again when it is asked after its end", async () => {
    const closed = startCode();
    closed.warm();
    await closed.close();
    expect(await returnOf(closed, "return 1")).toBe(1);
    await closed.close();
  });
});

it("the memory of the engine's module gets a maximum, and nothing else changes", async () => {
  const bytes = await readFile(quickjsPath());
  const bounded = withMaximum(bytes, 640);
  expect(bounded.length).toBe(bytes.length + 2);
  expect(() => withMaximum(bounded, 640)).toThrow("without a maximum");
  expect(() => withMaximum(bytes.subarray(0, 100), 640)).toThrow(/module/);
});
