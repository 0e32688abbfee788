import fc from "fast-check";
import { dump } from "js-yaml";
import { afterAll, describe, expect, it } from "vitest";

import type { Markup } from "../../../src/content/markup.js";
import { outlineOf } from "../../../src/describe/outlines/outline-of.js";
import { outlineLines } from "../../../src/describe/outlines/outline.js";
import { createJqEngine, type JqResult } from "../../../src/drill-in/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/drill-in/shared/limits.js";
import { textContent } from "../../describe/fixture.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => engine.close());

async function jq(markup: Markup, text: string, filter: string): Promise<JqResult> {
  const source = { bytes: Buffer.from(text) };
  return await engine.run({
    source,
    layout: "text",
    markup,
    filter,
    compact: true,
    maxOutputBytes: 1_000_000,
  });
}

async function valueOf(markup: Markup, text: string): Promise<unknown> {
  const { output, error } = await jq(markup, text, ".");
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

  it("has attributes and elements whatever their names, of an attribute that comes again the first", async () => {
    const text = `<a __proto__="1" constructor="2" x="3" x="4"><__proto__>5</__proto__></a>`;
    const { output } = await jq("xml", text, ".a | to_entries | map([.key, .value])");
    expect(JSON.parse(output)).toEqual([
      ["@__proto__", "1"],
      ["@constructor", "2"],
      ["@x", "3"],
      ["__proto__", "5"],
    ]);
  });

  it("replaces no entity that the document declares", async () => {
    const lines = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    );
    const text = `<!DOCTYPE a [<!ENTITY l0 "lol">${lines.join("")}]><a>&l20;</a>`;
    expect(await valueOf("xml", text)).toEqual({ a: "&l20;" });
  });

  it.each([
    [
      "<a>\n<b>\n</a>",
      /^The data cannot be read: it is no well-formed XML, line 3: <b> has no end\.$/,
    ],
    ["<a>\n<b>\n", /line 3: <b> has no end\.$/],
    [`${"<a>".repeat(600)}${"</a>".repeat(600)}`, /nested deeper than 500 elements\.$/],
  ])("says what is wrong with %s", async (text, sentence) => {
    const { error, output } = await jq("xml", text, ".");
    expect(output).toBe("");
    expect(error).toMatch(sentence);
  });
});

describe("a document of 10 MB in one line", () => {
  it("is answered, or said to be too much", async () => {
    const entry =
      '<entry id="1"><title>some words of a title</title><tag>x</tag><tag>y</tag></entry>';
    const count = Math.ceil(10_000_000 / entry.length);
    const result = await jq("xml", `<feed>${entry.repeat(count)}</feed>`, ".feed.entry | length");
    if (!result.outOfMemory && !result.timedOut) expect(result.output).toBe(String(count));
    const deep = await jq("html", "<div>".repeat(2_000_000), "length");
    expect(deep.error).toMatch(/nested deeper than 500 elements/);
  }, 60_000);
});

describe("jq over HTML", () => {
  it("sees a page whose tags need no end, and its links by one filter", async () => {
    const text = `<!DOCTYPE html><html><body><p>One<p>Two<br><img src=a.png><a href="/x">x</a><ul><li>1<li>2</ul></body>`;
    expect(await valueOf("html", text)).toEqual({
      html: {
        body: {
          p: [
            { "#text": "One" },
            {
              "#text": "Two",
              br: "",
              img: { "@src": "a.png" },
              a: { "@href": "/x", "#text": "x" },
            },
          ],
          ul: { li: ["1", "2"] },
        },
      },
    });
    expect(await jq("html", text, '.. | ."@href"? // empty')).toMatchObject({ output: '"/x"' });
  });
});

describe("jq over YAML", () => {
  it("sees one value, of several documents their array", async () => {
    expect(await valueOf("yaml", "a: 1\nb: [x, ~]\nc: &k {d: 2}\ne: *k\na: 3\n")).toEqual({
      a: 3,
      b: ["x", null],
      c: { d: 2 },
      e: { d: 2 },
    });
    expect(await valueOf("yaml", "---\na: 1\n---\na: 2\n")).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("keeps integers of any size, and writes infinity and no number as text", async () => {
    const lines = Array.from(
      { length: 200 },
      (_, n) => `- id: ${1234567890123456000n + BigInt(n)}`,
    );
    const { output } = await jq(
      "yaml",
      `${lines.join("\n")}\n`,
      "[.[].id] | unique | length, .[7]",
    );
    expect(output).toBe("200\n1234567890123456007");
    const text = "[.inf, -.INF, .nan, 0x7fffffffffffffff, -9007199254740993, 12, 1.5, 1e3]";
    const same = await jq("yaml", text, ".");
    expect(same.output).toBe(
      '[".inf","-.INF",".nan",9223372036854775807,-9007199254740993,12,1.5,1000]',
    );
  });

  it("takes what has a tag as if it had none, and text that is tagged as text", async () => {
    const text = [
      "a: !Sub '${x}-12'",
      "b: !Ref 12",
      "c: !GetAtt [x, y]",
      "d: !!set {p, q}",
      "e: !Cond {f: !If [g, 1, ~]}",
      "h: !!str 12",
      "i: ! 13",
      "j: !Nothing",
      "k: !!python/object:a.B {z: 1}",
      "l: !!binary aGk=",
      "m: !!timestamp 2026-01-02",
    ].join("\n");
    expect(await valueOf("yaml", `${text}\n`)).toEqual({
      a: "${x}-12",
      b: 12,
      c: ["x", "y"],
      d: { p: null, q: null },
      e: { f: ["g", 1, null] },
      h: "12",
      i: "13",
      j: null,
      k: { z: 1 },
      l: "aGk=",
      m: "2026-01-02",
    });
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
    expect((await jq("yaml", bomb, "length")).error).toMatch(/cannot be read: .*merge keys/);
  });

  it("says in which line it cannot be read", async () => {
    const { error } = await jq("yaml", "a: 1\nb: [1,\nc: 2\n", ".");
    expect(error).toMatch(/^The data cannot be read: it is no YAML, line 3: .+\.$/);
  });

  it("refuses aliases that grow and values within themselves", async () => {
    const grown = Array.from(
      { length: 12 },
      (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`,
    );
    const laughs = await jq("yaml", `a0: &a0 [lol]\n${grown.join("\n")}\n`, "length");
    expect(laughs.error).toBe("The data cannot be read: its aliases make it too large.");
    const own = await jq("yaml", "a: &a [*a]\n", ".");
    expect(own.error).toMatch(/cannot be read/);
  });
});

const PATH =
  /^(?:\d+: )?((?:\.(?:"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*)?\??(?:\[\]\??| \| arrays\[\])*)+)(?: \(([\d,]+))?/;

/** The paths that an outline states, with the number of values it says are there. */
async function statedOf(
  markup: Markup,
  text: string,
): Promise<readonly (readonly [string, number])[]> {
  const content = textContent(text, markup);
  const outline = await outlineOf(content, content.body.length);
  const lines = outline === undefined ? [] : outlineLines(outline, 1_000_000).slice(1);
  return lines.map((line) => {
    const [, path = "", count = "1"] = PATH.exec(line) ?? [];
    return [path, Number(count.replaceAll(",", ""))] as const;
  });
}

async function checkPaths(markup: Markup, text: string): Promise<void> {
  const stated = await statedOf(markup, text);
  if (stated.length === 0) return;
  // A missing member is null, as a null that is there.
  const counts = stated.map(([path]) => `([${path}] | [map(select(. != null)), .] | map(length))`);
  const { output, error } = await jq(markup, text, `[${counts.join(", ")}]`);
  expect([stated, error]).toEqual([stated, undefined]);
  const found = JSON.parse(output) as (readonly [number, number])[];
  for (const [at, [path, count]] of stated.entries()) {
    const [filled, all] = found[at]!;
    expect([path, text, count >= filled && count <= all]).toEqual([path, text, true]);
  }
}

const name = fc.constantFrom("a", "b", "c", "long-name", "e:f");
const { element } = fc.letrec<{ element: string; body: string }>((tie) => ({
  element: fc
    .tuple(name, fc.option(fc.constantFrom("id", "x:y")), tie("body"))
    .map(
      ([tag, attribute, body]) =>
        `<${tag}${attribute === null ? "" : ` ${attribute}="a>b"`}>${body}</${tag}>`,
    ),
  body: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("", "text", "<!-- <c> -->", "<![CDATA[</a>]]>", "<b/>"),
    fc.array(tie("element"), { maxLength: 4 }).map((all) => all.join("\n")),
  ),
}));

const key = fc.constantFrom("a", "b", "c d", "true", "7", "x.y", "longer_name");
const scalar = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    "",
    "text",
    "a: b",
    "- x",
    "# no",
    "two\nlines: here\n",
    "'q'",
    '"',
    "null",
    "12",
    "{",
    "[a",
    " x",
    "long ".repeat(40),
  ),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    scalar,
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
}));

describe("what the outline states of a document", () => {
  it("is what jq sees in XML", async () => {
    await fc.assert(
      fc.asyncProperty(element, (text) => checkPaths("xml", text)),
      { numRuns: 37 },
    );
  });

  it("is what jq sees in YAML", async () => {
    const documents = fc.array(value, { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(documents, fc.boolean(), async (all, noArrayIndent) => {
        const text = all.map((one) => `---\n${dump(one, { noArrayIndent } as object)}`).join("");
        await checkPaths("yaml", text);
      }),
      { numRuns: 37 },
    );
  });
});
