import { afterAll, describe, expect, it } from "vitest";

import type { Markup } from "../../../../src/core/content/as-value.js";
import { createJqEngine, type JqResult } from "../../../../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => engine.close());

async function jq(markup: Markup, text: string, filter: string): Promise<JqResult> {
  const source = { bytes: Buffer.from(text) };
  return await engine.run({
    source,
    layout: "text",
    markup,
    filter,
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

  it("replaces no entity that the document declares", async () => {
    const lines = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    );
    const text = `<!DOCTYPE a [<!ENTITY l0 "lol">${lines.join("")}]><a>&l20;</a>`;
    expect(await valueOf("xml", text)).toEqual({ a: "&l20;" });
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

  it("refuses aliases that grow and values within themselves", async () => {
    const grown = Array.from(
      { length: 12 },
      (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`,
    );
    const laughs = await jq("yaml", `a0: &a0 [lol]\n${grown.join("\n")}\n`, "length");
    expect(laughs.error).toMatch(/cannot be read: .*aliases/);
    const own = await jq("yaml", "a: &a [*a]\n", ".");
    expect(own.error).toMatch(/cannot be read: .*aliases/);
    const few = `a: &a [x]\nc: [${"*a, ".repeat(1000)}]\n`;
    expect((await jq("yaml", few, ".c | length")).output).toBe("1000");
  });
});
