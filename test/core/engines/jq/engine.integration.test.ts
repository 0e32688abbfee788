import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowFormatOf } from "../../../../src/core/content/table/rows.js";
import {
  createJqEngine,
  type JqRequest,
  type JqResult,
} from "../../../../src/core/engines/jq/engine.js";
import { NO_RESULTS } from "../../../../src/core/engines/jq/job.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "jq-engine-"));
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const RECORDS = '{"a":1,"s":"x\\ny"}\n{"a":2,"s":"z"}\n{"a":3}\n';

async function jq(filter: string, more: Partial<JqRequest> = {}, own = engine): Promise<JqResult> {
  return await own.run({
    source: { bytes: Buffer.from(RECORDS) },
    layout: "records",
    filter,
    maxOutputBytes: 100_000,
    ...more,
  });
}

function whole(output: string, resultCount: number): JqResult {
  return { ...NO_RESULTS, output, resultCount };
}

describe("jq over records", () => {
  it.each([
    ["[", "]"],
    ['{"k":', "}"],
  ])(
    "refuses a value that is nested too deep, and harms no run after it: %s",
    async (open, close) => {
      const one = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, maxWorkers: 1 });
      const nested = (levels: number) => `{"x":${open.repeat(levels)}1${close.repeat(levels)}}\n`;
      const run = (levels: number, filter: string) =>
        one.run({
          source: { bytes: Buffer.from(nested(levels)) },
          layout: "records",
          filter,
          maxOutputBytes: 100_000,
        });
      for (const levels of [600, 620])
        expect((await run(levels, ".x|tojson|length")).resultCount).toBe(1);
      for (const levels of [636, 650, 666, 700]) {
        const { error, resultCount } = await run(levels, ".x|tojson|length");
        expect([error, resultCount]).toEqual([
          "A value is nested deeper than jq allows, about 600 levels.",
          0,
        ]);
        expect((await run(1, ".x|tojson|length")).error).toBeUndefined();
      }
      await one.close();
    },
  );

  it.each<[string, object]>([
    ["\"\\(.a); rm -rf 'x'\" | @sh", { resultCount: 3, error: undefined }],
    ["[inputs] | input", { output: "", error: expect.stringContaining("jq: error") }],
    ['debug | debug("jq: error") | .a', { output: "1\n2\n3", error: undefined }],
    [".a | stderr", { output: "1\n2\n3", error: undefined }],
    ['"bye\\n" | halt_error', { output: "", error: "bye" }],
    [".a, halt", { output: "1", error: undefined }],
    ['error("x" * 100000)', { error: expect.stringMatching(/^.{1,1100}$/) }],
    ...['"a\\")(" | length', "[.[]?] # ]", '{"}": 1}', '"\\("\\("(")")"', '@base64 "\\(1)"'].map(
      (filter): [string, object] => [filter, { resultCount: 3, error: undefined }],
    ),
  ])("runs %s as jq does", async (filter, expected) => {
    expect(await jq(filter)).toMatchObject(expected);
  });

  it("keeps the results before an error and passes jq's message on", async () => {
    const result = await jq(".s | explode | implode");
    expect(result.output).toBe('"x\\ny"\n"z"');
    expect(result.error).toBe("jq: error: explode input must be a string");
  });

  it("tells the line of the filter that cannot be compiled, and leaves its text as it is", async () => {
    const text = '| "x at <top-level>, line 7"';
    const { error = "" } = await jq(`.\n| foo ${text}`);
    expect(error).toContain("foo/0 is not defined at <top-level>, line 2, column 3:");
    expect(error).toContain(`| foo ${text}`);
  });
});

describe("jq's limits", () => {
  it.each([
    [{ limit: 2 }, "1\n2", true],
    [{ limit: 0 }, "", true],
    [{ maxOutputBytes: 4 }, "1\n2", true],
    [{ maxOutputBytes: 5 }, "1\n2\n3", false],
  ])(
    "cut with %j to whole results, and say so only when there is more",
    async (limits, output, truncated) => {
      const resultCount = output === "" ? 0 : output.split("\n").length;
      expect(await jq(".a", limits)).toEqual({ ...whole(output, resultCount), truncated });
    },
  );

  it("keeps what it has found when the time is over", async () => {
    const endless = "if .a == 3 then range(1e12) else .a end";
    const ask = async (timeoutMs: number) => {
      const own = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs });
      const found = await jq(endless, { maxOutputBytes: 1_000_000_000 }, own);
      await own.close();
      return found;
    };
    let timeoutMs = 300;
    let result = await ask(timeoutMs);
    // A busy machine finds nothing in so short a time.
    while (result.output.length < 20) result = await ask((timeoutMs *= 2));
    expect(result.timedOut).toBe(true);
    expect(result.output.startsWith("1\n2\n0\n1\n2\n3")).toBe(true);
    expect(await jq(".a")).toEqual(whole("1\n2\n3", 3));
  });

  it("keeps jq's memory under the limit", async () => {
    const small = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, maxMemoryMb: 32 });
    const request = {
      source: { bytes: Buffer.from("1") },
      layout: "records",
      maxOutputBytes: 100,
    } as const;
    const forty = '"x" * 20000000 | [., . + "y"] | length';
    expect(await small.run({ ...request, filter: forty })).toMatchObject({ outOfMemory: true });
    expect(await small.run({ ...request, filter: "." })).toMatchObject({ output: "1" });
    await small.close();
    expect(await jq(forty, { limit: 1 })).toMatchObject({ output: "2", outOfMemory: false });
  });

  it("refuses a filter that is too long and variables that are too large", async () => {
    expect(await jq(" ".repeat(16_384) + ".")).toMatchObject({
      error: expect.stringContaining("16384"),
    });
    expect(await jq("$a", { args: { a: "x".repeat(65_536) } })).toMatchObject({
      error: expect.stringContaining("65536"),
    });
  });
});

describe("jq's sources", () => {
  it("reads a file from behind its header on, none that is longer than what was stored, and none that is gone", async () => {
    const path = join(folder, "records.jsonl");
    await writeFile(path, `{"header":true}\n${RECORDS}`);
    const end = 16 + Buffer.byteLength(RECORDS);
    const source = { path, start: 16, end };
    expect(await jq(".a", { source })).toEqual(whole("1\n2\n3", 3));
    await appendFile(path, "4");
    const gone = { path: join(folder, "gone"), start: 0, end: 10 };
    for (const wrong of [source, gone])
      await expect(jq(".a", { source: wrong })).rejects.toMatchObject({
        code: "STORE_READ_FAILED",
      });
    expect(await jq(".a")).toEqual(whole("1\n2\n3", 3));
  });

  it("reads bytes that are larger than one slice", async () => {
    const line = `${JSON.stringify("x".repeat(999))}\n`;
    const source = { bytes: Buffer.from(line.repeat(9000)) };
    expect(await jq("reduce inputs as $l (0; . + 1)", { source })).toEqual(whole("9000", 1));
  });

  it("reads TSV rows and streams a large one", async () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => `${i}\t"${i}é"\n`).join("");
    const source = { bytes: Buffer.from(`n\tword\n${rows}`) };
    const form = { layout: "rows", rowFormat: rowFormatOf({ kind: "tsv" }) } as const;
    const filter = "reduce inputs as $r (0; . + ($r.n | tonumber))";
    const result = await jq(filter, { source, ...form });
    expect(result).toEqual(whole(String((49_999 * 50_000) / 2), 1));
  });

  it("gives up on a quote that nobody closes", async () => {
    const source = { bytes: Buffer.from(`a\n"${"x".repeat(5 * 1024 * 1024)}`) };
    expect(await jq(".", { source, layout: "rows" })).toMatchObject({
      error: expect.stringContaining("quote left open"),
    });
  });
});
