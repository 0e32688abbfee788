import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Markup } from "../../../../src/core/content/as-value.js";
import {
  createJqEngine,
  type JqRequest,
  type JqResult,
} from "../../../../src/core/engines/jq/engine.js";
import { NO_RESULTS } from "../../../../src/core/engines/jq/job.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";
import { newDirectory } from "../../../after-file.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
const folder = newDirectory();
afterAll(() => engine.close());

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
      const run = (levels: number) =>
        jq(".x|tojson|length", { source: { bytes: Buffer.from(nested(levels)) } }, one);
      for (const levels of [600, 620]) expect((await run(levels)).resultCount).toBe(1);
      for (const levels of [636, 650, 666, 700]) {
        const { error, resultCount } = await run(levels);
        expect([error, resultCount]).toEqual([
          "A value is nested deeper than jq allows, about 600 levels.",
          0,
        ]);
        expect((await run(1)).error).toBeUndefined();
      }
      await one.close();
    },
  );

  it.each<[string, object]>([
    ["\"\\(.a); rm -rf 'x'\" | @sh", { resultCount: 3, error: undefined }],
    ["[.a] + [inputs.a] | length", { output: "3" }],
    ["[.a, (inputs | .a)] | length", { output: "3" }],
    ["first(inputs) as $x | [$x.a, inputs.a] | length", { output: "3" }],
    ["[inputs] | input", { output: "", error: expect.stringContaining("jq: error") }],
    ['debug | debug("jq: error") | .a', { output: "1\n2\n3", error: undefined }],
    [".a | stderr", { output: "1\n2\n3", error: undefined }],
    ['"bye\\n" | halt_error', { output: "", error: "bye" }],
    ["select(.a > 1) | error", { error: expect.stringMatching(/^2 errors, the first: jq: error/) }],
    [".a, halt", { output: "1", error: undefined }],
    ['error("x" * 100000)', { error: expect.stringMatching(/^.{1,1100}$/) }],
    ...['"a\\")(" | length', "[.[]?] # ]", '{"}": 1}', '"\\("\\("(")")"', '@base64 "\\(1)"'].map(
      (filter): [string, object] => [filter, { resultCount: 3, error: undefined }],
    ),
  ])("runs %s as jq does", async (filter, expected) => {
    expect(await jq(filter)).toMatchObject(expected);
  });

  it("says at least how many records failed where it was stopped before the last", async () => {
    const { error } = await jq('.a, error("no")', { limit: 2 });
    expect(error).toBe("at least 2 errors, the first: jq: error: no");
  });

  it("keeps the results before an error and passes jq's message on", async () => {
    const error = "jq: error: explode input must be a string";
    expect(await jq(".s | explode | implode")).toMatchObject({ output: '"x\\ny"\n"z"', error });
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
    const one = { source: { bytes: Buffer.from("1") } };
    const forty = '"x" * 20000000 | [., . + "y"] | length';
    expect(await jq(forty, one, small)).toMatchObject({ outOfMemory: true });
    expect(await jq(".", one, small)).toMatchObject({ output: "1" });
    await small.close();
    expect(await jq(forty, { limit: 1 })).toMatchObject({ output: "2", outOfMemory: false });
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

  it("gives up on a quote that nobody closes", async () => {
    const source = { bytes: Buffer.from(`a\n"${"x".repeat(5 * 1024 * 1024)}`) };
    expect(await jq(".", { source, layout: "rows" })).toMatchObject({
      error: expect.stringContaining("quote left open"),
    });
  });
});

async function jqOver(markup: Markup, text: string, filter: string): Promise<JqResult> {
  const source = { bytes: Buffer.from(text) };
  return await jq(filter, { source, layout: "text", markup });
}

async function valueOf(markup: Markup, text: string): Promise<unknown> {
  const { output, error } = await jqOver(markup, text, ".");
  expect(error).toBeUndefined();
  return JSON.parse(output);
}

describe("jq over XML", () => {
  it("sees attributes, text and elements, those that come again anywhere as arrays", async () => {
    const text = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]>
      <feed><entry id="1"><title type="t"> A &amp; B&#33; </title><tag>x</tag></entry>
      <entry><title>C</title><tag>y</tag><tag/><e:note xmlns:e="u"><![CDATA[<b>]]></e:note></entry></feed>`;
    expect(await valueOf("xml", text)).toEqual({
      feed: {
        entry: [
          { "@id": "1", title: { "@type": "t", "#text": "A & B!" }, tag: ["x"] },
          {
            title: { "#text": "C" },
            tag: ["y", ""],
            "e:note": { "@xmlns:e": "u", "#text": "<b>" },
          },
        ],
      },
    });
  });

  it("replaces no entity that the document declares", async () => {
    const lines = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    );
    const text = `<!DOCTYPE a [<!ENTITY l0 "lol">${lines.join("")}]><a>&l20;</a>`;
    expect(await valueOf("xml", text)).toEqual({ a: "&l20;" });
  });
});

it("a document of 10 MB of nested elements is said to be too deep", async () => {
  const deep = await jqOver("html", "<div>".repeat(2_000_000), "length");
  expect(deep.error).toMatch(/nested deeper than 500 elements/);
}, 60_000);

it("jq over HTML sees a page whose tags need no end, and its links by one filter", async () => {
  const text = `<!DOCTYPE html><html><body><p>One<p>Two<br>Three<img src=a.png><a href="/x">x</a><ul><li>1<li>2</ul></body>`;
  expect(await valueOf("html", text)).toEqual({
    html: {
      body: {
        p: [
          { "#text": "One" },
          {
            "#text": "Two\nThree",
            br: "",
            img: { "@src": "a.png" },
            a: { "@href": "/x", "#text": "x" },
          },
        ],
        ul: { li: ["1", "2"] },
      },
    },
  });
  expect(await jqOver("html", text, '.. | ."@href"? // empty')).toMatchObject({ output: '"/x"' });
});

describe("jq over YAML", () => {
  it("sees one value, of several documents their array", async () => {
    expect(await valueOf("yaml", "a: 1\nb: [x, ~]\nc: &k {d: 2}\ne: *k\n")).toEqual({
      a: 1,
      b: ["x", null],
      c: { d: 2 },
      e: { d: 2 },
    });
    expect(await valueOf("yaml", "---\na: 1\n---\na: 2\n")).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("merges what a merge key names, what stands beside it first", async () => {
    const text =
      'a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: *a\n  y: 5\nd: {<<: [*b, *a]}\ne: {"<<": 6}\n';
    expect(await valueOf("yaml", text)).toMatchObject({
      c: { x: 1, y: 5 },
      d: { x: 1, y: 3, z: 4 },
      e: { "<<": 6 },
    });
    const members = Array.from({ length: 2_000 }, (_, n) => `k${n}: 1`).join(", ");
    const bomb = `a: &a {${members}}\nb:\n${"  - {<<: *a}\n".repeat(200)}`;
    expect((await jqOver("yaml", bomb, "length")).error).toMatch(/cannot be read: .*merge keys/);
  });

  it("refuses aliases that grow and values within themselves", async () => {
    const grown = Array.from(
      { length: 12 },
      (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`,
    );
    const laughs = await jqOver("yaml", `a0: &a0 [lol]\n${grown.join("\n")}\n`, "length");
    expect(laughs.error).toMatch(/cannot be read: .*aliases/);
    const own = await jqOver("yaml", "a: &a [*a]\n", ".");
    expect(own.error).toMatch(/cannot be read: .*aliases/);
    const few = `a: &a [x]\nc: [${"*a, ".repeat(1000)}]\n`;
    expect((await jqOver("yaml", few, ".c | length")).output).toBe("1000");
  });
});
