import { readFile } from "node:fs/promises";

import { afterAll, describe, expect, it } from "vitest";

import { code } from "../../../src/plugins/code/code.js";
import { checkVersion, quickjsPath, withMaximum } from "../../../src/plugins/code/quickjs.js";
import { resultOf, returnOf, startCode } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());

describe("a fault of the code", () => {
  it.each([
    ["code that returns", "const a = 1;\nif (a) {\n  nothing.here\n}\nreturn a", 3, "nothing.here"],
    ["a bracket that is left open", "const a = [1;\n", 1, "const a = [1;"],
    ["a function that it calls", "function f(r) {\n  return r.x.y;\n}\nf({})", 2, "return r.x.y;"],
    [
      "a promise",
      "const f = async () => {\n  throw new Error('no');\n};\nawait f()",
      2,
      "throw new Error('no');",
    ],
  ])("has the line of %s", async (_, code, line, source) => {
    expect((await resultOf(engine, code)).place).toMatchObject({ line, source });
  });
});

describe("code", () => {
  it.each(["3.6.1", "3.6.3"])("does not take version %s of its engine", (version) => {
    expect(() => checkVersion(version)).toThrow(/npm install quickjs-wasi@3\.6\.2/);
  });

  it.each([
    [{ maxMemoryMb: 3 }, "maxMemoryMb"],
    [{ memory: 5 }, "maxMemoryMb"],
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

describe("the memory of the engine's module", () => {
  it("gets a maximum, and nothing else changes", async () => {
    const bytes = await readFile(quickjsPath());
    const bounded = withMaximum(bytes, 640);
    expect(bounded.length).toBe(bytes.length + 2);
    expect(() => withMaximum(bounded, 640)).toThrow("without a maximum");
    expect(() => withMaximum(bytes.subarray(0, 100), 640)).toThrow(/module/);
  });
});
