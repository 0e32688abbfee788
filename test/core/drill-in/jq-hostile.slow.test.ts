import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createJqEngine, type JqResult } from "../../../src/core/engines/jq/engine.js";
import { scanFilter } from "../../../src/core/engines/jq/filter.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";
import { startWorkCounter } from "./count-work.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
const folder = mkdtempSync(join(tmpdir(), "jq-hostile-"));
const TIMEOUT_MS = 450;
/** What the event loop does for calls of any size. */
const MAX_WORK = 100_000;

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function jq(filter: string, timeoutMs = 60_000): Promise<JqResult> {
  const source = { bytes: Buffer.from('{"a":1}\n{"a":2}\n') };
  return await engine.run({
    source,
    layout: "records",
    filter,
    maxOutputBytes: 1000,
    timeoutMs,
  });
}

describe("a jq filter sees nothing of the host", () => {
  it.each(["env", "$ENV", "env | length", "$ENV | keys"])("%s is empty", async (filter) => {
    expect((await jq(filter)).output).toMatch(/^(\{\}|0|\[\])\n\1$/);
  });

  it("input_filename is a constant", async () => {
    expect(await jq("input_filename")).toMatchObject({ output: "null\nnull" });
  });

  it.each([
    'import "secret" as $s {search: "DIR"}; $s',
    'include "secret" {search: "DIR"}; leak',
    'import "secret" as s {search: "DIR"}; s::leak',
    "modulemeta",
    '"secret" | modulemeta',
    '"DIR/secret" | modulemeta',
    '1); import "secret" as $s {search: "DIR"}; ($s',
  ])("%s reads no file", async (filter) => {
    writeFileSync(join(folder, "secret.json"), '"TOP-SECRET"');
    writeFileSync(join(folder, "secret.jq"), 'def leak: "TOP-SECRET";');
    const result = await jq(filter.replaceAll("DIR", folder));
    expect(result.error).toBeTypeOf("string");
    expect(JSON.stringify(result)).not.toContain("TOP-SECRET");
  });

  it.each(["1) | env | (2", ")(", "1))", "((1)", "[1", "{a:1", '"abc', '"\\(1"', "(]", "1 # )\n)"])(
    "%s cannot leave its brackets",
    async (filter) => {
      expect(await jq(filter)).toMatchObject({
        output: "",
        error: expect.stringContaining("syntax"),
      });
    },
  );

  it("a NUL character does not shorten the filter", async () => {
    expect(await jq(". \0 | error")).toMatchObject({
      output: "",
      error: expect.stringContaining("NUL"),
    });
  });
});

describe("a jq filter costs no more than its limits", () => {
  it.each([
    "last(range(1e12))",
    "[range(1e12)]",
    "last(repeat(1))",
    "def f: f; f",
    "def f: 1 + f; f",
    "def f: [f]; f",
    "[limit(1e9; repeat(1))]",
    '"a" * 1e9',
    '[limit(100; repeat("a" * 10000000))] | add',
    'reduce range(64) as $i ("x"; . + .)',
    'last(limit(1e9; repeat("x" * 1000)))',
    "[paths] | until(false; . + .)",
    '"a" * 1000000 | test("^(a+)+$b")',
    '("a" * 30) + "!" | test("^(a|a)*$")',
    "getpath([range(1e7)])",
    "[range(1e6)] | combinations(9)",
    "last(range(1e9) | @json)",
    "last(repeat(debug))",
  ])("%s", async (filter) => {
    const result = await jq(filter, TIMEOUT_MS);
    const { timedOut, outOfMemory, truncated, error } = result;
    expect(timedOut || outOfMemory || truncated || error !== undefined).toBe(true);
    expect(await jq(".a")).toMatchObject({ output: "1\n2", error: undefined });
  });

  it.each(["repeat(1)", "range(1e12)", '"x" * 999 | repeat(.)', '"x" * 5000'])(
    "%s is cut at the output's limit",
    async (filter) => {
      const result = await jq(filter);
      expect(result).toMatchObject({ truncated: true, timedOut: false });
      expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(1000);
    },
  );

  it("stays harmless with @sh, input, debug, stderr and halt_error", async () => {
    expect(await jq("\"\\(.a); rm -rf 'x'\" | @sh")).toMatchObject({ resultCount: 2 });
    expect(await jq("[., input]")).toMatchObject({ output: '[{"a":1},{"a":2}]', error: undefined });
    expect(await jq("input | input")).toMatchObject({
      error: expect.stringContaining("jq: error"),
    });
    expect(await jq('debug | debug("jq: error") | .a')).toMatchObject({
      output: "1\n2",
      error: undefined,
    });
    expect(await jq(".a | stderr")).toMatchObject({ output: "1\n2", error: undefined });
    expect(await jq('"bye\\n" | halt_error')).toMatchObject({ output: "", error: "bye" });
    expect(await jq("., halt")).toMatchObject({ output: '{"a":1}', error: undefined });
  });

  it("shortens an error that is as long as the data", async () => {
    expect((await jq('error("x" * 100000)')).error?.length).toBeLessThan(1100);
  });

  it("does not block the event loop", async () => {
    const counter = await startWorkCounter();
    const filters = ["[range(1e12)]", "repeat(1)", "def f: f; f"];
    const ask = () => Promise.all(filters.map((filter) => jq(filter, TIMEOUT_MS)));
    expect(await counter.count(ask)).toBeLessThan(MAX_WORK);
    await counter.stop();
  });
});

describe("scanning a filter", () => {
  it("never throws and never loses its way", () => {
    const token = fc.constantFrom(
      "(",
      ")",
      "[",
      "]",
      '"',
      "\\",
      "\\(",
      "#",
      "\n",
      "inputs",
      "a",
      ".",
      "{",
      "}",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const result = scanFilter(tokens.join(""));
        const opened = tokens.filter((item) => /^[([{]$/.test(item)).length;
        const plain = !tokens.some((item) => /["#\\]/.test(item));
        const closed = tokens.filter((item) => /^[)\]}]$/.test(item)).length;
        expect(result.fault === undefined && plain && opened !== closed).toBe(false);
      }),
    );
  });

  it.each(['"a\\")(" | length', "[.[]?] # ]", '{"}": 1}', '"\\("\\("(")")"', '@base64 "\\(1)"'])(
    "takes %s as jq does",
    async (filter) => {
      expect(await jq(filter)).toMatchObject({ error: undefined, resultCount: 2 });
    },
  );
});
