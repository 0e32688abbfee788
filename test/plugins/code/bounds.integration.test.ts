import { afterAll, describe, expect, it } from "vitest";

import { hostOf, resultOf, returnOf, startCode } from "./code-runs.js";

const engine = startCode({ maxMemoryMb: 32 });
afterAll(() => engine.close());

/** Of the process, while code runs that asks for a gigabyte. */
const MAX_GROWTH_BYTES = 300 * 1024 * 1024;

const GROW = "const all = []; for (;;) all.push(new Array(1000).fill(1.5))";

// With other builds of this engine the first two went to 997 MB at the same limit.
it.each([
  ["buffers", "const all = []; for (;;) all.push(new ArrayBuffer(1e6))"],
  ["filled arrays", GROW],
  ["what is caught at once", `try { ${GROW} } catch (e) { return 1 }`],
  [
    "what is caught in a promise",
    `const grow = async () => { await null; ${GROW} }; try { await grow() } catch (e) { return 1 }`,
  ],
])("memory ends at its limit with %s, and the process does not feel it", async (_, code) => {
  const before = process.memoryUsage.rss();
  const { outOfMemory, returned, timedOut } = await resultOf(engine, code);
  const ended = { outOfMemory: true, returned: undefined, timedOut: false };
  expect({ outOfMemory, returned, timedOut }).toEqual(ended);
  expect(process.memoryUsage.rss() - before).toBeLessThan(MAX_GROWTH_BYTES);
});

it.each([
  ["a text that doubles", "let s = 'ab'; for (;;) s += s", "string too long"],
  ["a long repetition", "'x'.repeat(2 ** 30)", "string too long"],
  ["a recursion", "const f = () => f() + 1; f()", "Maximum call stack size exceeded"],
  ["a promise that nothing settles", "await new Promise(() => {})", "nothing will ever settle"],
  ["what is like a promise", "return { then() {} }", "nothing will ever settle"],
])("what would go on without end is an error of the code: %s", async (_, code, message) => {
  const { error, timedOut } = await resultOf(engine, code);
  expect(timedOut).not.toBe(true);
  expect(error).toContain(message);
  expect(error).toMatch(/\nLine 1$|ever settle\.$/);
});

describe("what leaves the vm", () => {
  it("is a message cut before it is copied", async () => {
    const { error } = await resultOf(engine, "throw new Error('x'.repeat(5e6))");
    expect(error?.length).toBeLessThanOrEqual(1000);
  });

  it("is text that is stored in pieces, 20 MB of it", async () => {
    const host = hostOf();
    expect(await returnOf(engine, "return 'y'.repeat(2e7)", host)).toMatchObject({
      keptAs: "made-0",
    });
    expect(host.kept[0]?.text.length).toBe(20_000_000);
  });

  it("is refused beyond the bytes that a run may store", async () => {
    const small = startCode({ maxKeptBytes: 1_000_000 });
    const host = hostOf();
    const code = "outputs.save('all', (function* () { for (;;) yield 'x'.repeat(1000) })())";
    const { error } = await resultOf(small, code, host);
    await small.close();
    expect(error).toContain("one run may store 1,000,000 bytes at most");
    expect(host.kept).toEqual([]);
  });
});

describe("the host", () => {
  it.each([
    [
      "has no name in the vm",
      `const names = "process require module global Buffer fetch setTimeout WebAssembly Atomics Worker navigator importScripts std os bjson";
      return names.split(" ").filter((name) => name in globalThis)`,
      [],
    ],
    [
      "is not reached by the constructors of its functions",
      `const f = outputs.open.constructor;
      return [typeof f("return process"), f === Function, f("return typeof process + typeof require")()]`,
      ["function", true, "undefinedundefined"],
    ],
    [
      "is not in the stack of an error",
      "try { outputs.open('nothing') } catch (e) { return /\\/|node:|file:/.test(e.stack) }",
      false,
    ],
  ])("%s", async (_, code, expected) => {
    expect(await returnOf(engine, code)).toEqual(expected);
  });

  it("takes any arguments of its one function, which a stack can give away", async () => {
    const code = `let host;
      Error.prepareStackTrace = (_, sites) => { for (const site of sites) host ??= site.getFunction?.(); return "" };
      try { outputs.open({ get id() { return new Error("x").stack, "a" } }) } catch (e) {}
      const found = typeof host;
      if (found === "function") for (const args of [[], [-1], [2, 99], [3, {}], [5], [9, 1], [10, NaN], [12, {}, 1n], ["x"], [Symbol()]])
        try { host(...args) } catch (e) {}
      return found`;
    expect(await returnOf(engine, code)).toMatch(/function|undefined/);
  });
});

it.each([
  "Object.prototype.then = function () { throw 1 }; return [1]",
  "JSON.stringify = JSON.parse = () => { throw 1 }; return [1]",
  "String.prototype.slice = String.prototype.toWellFormed = null; return 'text'",
  "Object.defineProperty(globalThis, 'outputs', { get() { throw 1 } }); return 1",
  "Object.defineProperty(Error.prototype, 'message', { get() { throw 1 } }); nothing.here",
  "throw new Proxy({}, { get() { throw 1 } })",
  "return new Proxy({}, { ownKeys() { throw new Error('keys') } })",
  "const a = []; a[0] = a; return a",
])(
  "builtins that the code has changed change the code's own answer and nothing else: %s",
  async (code) => {
    const result = await resultOf(engine, code);
    expect(result.timedOut).not.toBe(true);
    expect(result.outOfMemory).not.toBe(true);
    expect(await returnOf(engine, "return [1, 'two']")).toEqual([1, "two"]);
  },
);
