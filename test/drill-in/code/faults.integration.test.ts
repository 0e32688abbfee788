import { readFile } from "node:fs/promises";

import { afterAll, describe, expect, it } from "vitest";

import { withMaximum } from "../../../src/drill-in/code/bounded-module.js";
import { codeEngine } from "../../../src/drill-in/code/engine.js";
import { checkVersion, quickjsPath } from "../../../src/drill-in/code/quickjs-package.js";
import { hostOf, recordsBody, resultOf, startCode } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());
const host = hostOf({ r: recordsBody([{ id: 1, user_name: "Ann", address: { city: "Rome" } }]) });

describe("a fault of the code", () => {
  it.each([
    ["const x: number = 1", /no types/],
    ["function f(a: string) { return a }", /no types/],
    ["interface A { b: string }", /no types/],
    ["const a = 1 as number", /no types/],
    ["enum A { B }", /no types/],
    ["import fs from 'fs'", /no modules/],
    ["export const a = 1", /no modules/],
    ["const fs = require('fs')", /no modules/],
    ["process.env.HOME", /no environment/],
    ["await fetch('http://x')", /no network/],
    ["setTimeout(() => {}, 1)", /no timers/],
    ["new Intl.NumberFormat()", /no Intl/],
    ["JSON.parse(outputs.read('r'))", /parsed already/],
    ["Math.round(undefned)", /did you mean undefined/],
    ["const total = 1; print(totls); var totals", /did you mean totals/],
    ["open('r')", /outputs\.open/],
    ["outputs.get('r')", /there are outputs\.open/],
    ["outputs.open('r').sort()", /is an array, with \.sort/],
    ["for (const r of outputs.open('r')) print(r.username.length)", /did you mean user_name/],
    [
      "for (const r of outputs.open('r')) print(r.other.length)",
      /the records have the fields id, user_name, address/,
    ],
    ["for (const r of outputs.open('r')) print(user_name)", /write record\.user_name/],
    ["1n + 1", /Number\(n\)/],
  ])("names the way out of %s", async (code, hint) => {
    const { fault } = await resultOf(engine, code, host);
    expect(fault?.hint ?? "").toMatch(hint);
    expect(fault?.line).toBe(1);
    expect(fault?.source).toBe(code);
  });

  it.each([
    ["a script", "const a = 1;\n\n  a.b.c;\n", 3, "a.b.c;"],
    ["code that returns", "const a = 1;\nif (a) {\n  nothing.here\n}\nreturn a", 3, "nothing.here"],
    ["a syntax error", "const a = 1;\nconst b = ;\nreturn a", 2, "const b = ;"],
    ["a bracket that is left open", "const a = [1;\n", 1, "const a = [1;"],
    ["a function that it calls", "function f(r) {\n  return r.x.y;\n}\nf({})", 2, "return r.x.y;"],
    [
      "a promise",
      "const f = async () => {\n  throw new Error('no');\n};\nawait f()",
      2,
      "throw new Error('no');",
    ],
  ])("has the line of %s", async (_, code, line, source) => {
    expect((await resultOf(engine, code)).fault).toMatchObject({ line, source });
  });

  it.each([
    ["throw 'text'", "thrown: text"],
    ["throw { code: 1 }", 'thrown: {"code":1}'],
    ["throw new RangeError('r')", "RangeError: r"],
    ["throw new Error('plain')", "plain"],
    ["const e = new Error('m'); e.name = 'Own'; throw e", "Own: m"],
    ["throw new Error()", "Error"],
    ["Object.prototype.toJSON = () => 5; nothing()", "ReferenceError: nothing is not defined"],
    [
      "Array.prototype.slice = () => [{ toString: 1 }]; nothing()",
      "ReferenceError: nothing is not defined",
    ],
    [
      "for (let n = 0; n < 300; n += 1) globalThis['x'.repeat(1000) + n] = n; nothing()",
      "ReferenceError: nothing is not defined",
    ],
    [
      "for (let n = 0; n < 300; n += 1) globalThis['\\u0001'.repeat(90) + n] = n; nothing()",
      "The code ended with an error that cannot be read.",
    ],
  ])("has the message of %s", async (code, message) => {
    expect((await resultOf(engine, code)).fault?.message).toBe(message);
  });

  it("is told of a line that is very long", async () => {
    const quick = startCode({ timeoutMs: 2000 });
    const { fault } = await resultOf(quick, `/*${"a".repeat(90_000)}*/ null.x`, host);
    expect(fault?.message).toBe("TypeError: cannot read property 'x' of null");
    await quick.close();
  });

  it("is told of records that are no JSON", async () => {
    const bytes = Buffer.from('{"a":1}\n{bad\n');
    const broken = hostOf({ b: { ...recordsBody([]), source: { bytes } } });
    const { fault } = await resultOf(engine, "[...outputs.open('b')]", broken);
    expect(fault).toMatchObject({ line: 1, message: expect.stringMatching(/^SyntaxError/) });
  });

  it.each([
    ["outputs.read('r').data.length", /gives the records of this output as an array/],
    ["outputs.read('r').split('')", /outputs\.lines\(id\) reads it as text/],
  ])("says of %s that the records are a list", async (code, hint) => {
    expect((await resultOf(engine, code, host)).fault?.hint).toMatch(hint);
  });

  it("is code that is too long", async () => {
    expect((await resultOf(engine, " ".repeat(100_001))).fault?.message).toContain(
      "at most 100000",
    );
  });
});

describe("codeEngine", () => {
  it.each(["3.6.1", "3.5.0", "3.6.3", "4.0.0", ""])(
    "does not take version %s of its engine",
    (version) => {
      expect(() => checkVersion(version)).toThrow(/npm install quickjs-wasi@3\.6\.2/);
    },
  );

  it("takes the one that is installed", () => {
    expect(quickjsPath()).toMatch(/quickjs\.wasm$/);
  });

  it.each([
    [{ maxMemoryMb: 3 }, "maxMemoryMb"],
    [{ maxMemoryMb: 5000 }, "maxMemoryMb"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ memory: 5 }, "maxMemoryMb"],
  ])("refuses the options %j", (options, word) => {
    expect(() => codeEngine(options as object)).toThrow(word);
  });

  it("refuses runs when it is closed", async () => {
    const closed = startCode();
    closed.warm();
    await closed.close();
    await expect(resultOf(closed, "1")).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });
});

describe("the memory of the engine's module", () => {
  it("gets a maximum, and nothing else changes", async () => {
    const bytes = await readFile(quickjsPath());
    const bounded = withMaximum(bytes, 640);
    expect(bounded.length).toBe(bytes.length + 2);
    expect(() => withMaximum(bounded, 640)).toThrow("without a maximum");
    expect(() => withMaximum(bytes.subarray(0, 100), 640)).toThrow(/module/);
  });
});
