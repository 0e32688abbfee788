import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createJqEngine, type JqResult } from "../../../src/core/engines/jq/engine.js";
import { scanFilter } from "../../../src/core/engines/jq/filter.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";

const engine = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 60_000 });
afterAll(() => engine.close());

async function jq(filter: string): Promise<JqResult> {
  const source = { bytes: Buffer.from('{"a":1}\n{"a":2}\n') };
  return await engine.run({
    source,
    layout: "records",
    filter,
    maxOutputBytes: 1000,
  });
}

describe("a jq filter", () => {
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
});

describe("scanning a filter", () => {
  it("never throws and never loses its way", () => {
    const token = fc.constantFrom(...'(~)~[~]~"~\\~\\(~#~\n~inputs~a~.~{~}'.split("~"));
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const result = scanFilter(tokens.join(""));
        const opened = tokens.filter((item) => /^[([{]$/.test(item)).length;
        const plain = !tokens.some((item) => /["#\\]/.test(item));
        const closed = tokens.filter((item) => /^[)\]}]$/.test(item)).length;
        expect(result.isClosed && plain && opened !== closed).toBe(false);
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
