import { describe, expect, it } from "vitest";

import { textPartsOf } from "../../../src/describe/outlines/text-parts.js";
import { textContent } from "../fixture.js";
import { linesOf } from "./lines-of.js";

describe("what is counted in a part", () => {
  it("is said to be the least that there is, in XML, YAML and HTML", async () => {
    const element = `<item id="1"><name>${"x".repeat(80)}</name><tag><a/></tag></item>\n`;
    const xml = await linesOf("xml", `<all>\n${element.repeat(25_000)}</all>\n`);
    expect(xml[0]).toBe("of the first 2.0 MB of 3.2 MB:");
    expect(xml.at(-1)).toMatch(/^2: \.all\.item\[\] \(at least \d\d,\d{3}\): .+$/);
    const yaml = await linesOf(
      "yaml",
      `all:\n${`- id: 1\n  a: {b: 1}\n  c:\n    d:\n      e: 1\n  name: ${"x".repeat(80)}\n`.repeat(25_000)}`,
    );
    expect(yaml.join("\n")).toMatch(/\[\] \(at least \d\d,\d{3}\): id/);
    const html = await linesOf(
      "html",
      `<h1>One</h1>\n${`<p>${"x".repeat(80)}</p>\n`.repeat(25_000)}`,
    );
    expect(html[1]).toMatch(/^at least \d\d,\d{3} tags: p at least \d\d,\d{3}$/);
  });

  it("has no line that is cut off", async () => {
    const lines = `${"x".repeat(70)} one two three\n`.repeat(30_000);
    const content = textContent(lines, "text");
    const { head, tail } = textPartsOf(content, content.body.length, true);
    expect([head.endsWith("three\n"), tail.startsWith("xxx")]).toEqual([true, true]);
    const long = textContent("x".repeat(3_000_000), "text");
    expect(textPartsOf(long, 3_000_000, true).head).toHaveLength(1_600_000);
  });

  it("is said to be the least where there are more kinds of errors than are kept", async () => {
    const text = Array.from({ length: 900 }, (_, n) => `Error: no ${n}\n    at f (a.js:1:2)\n`);
    const lines = await linesOf("text", text.join("\n"), 1_000);
    expect(lines.at(-1)).toMatch(/^at least 4\d\d more kinds of errors not shown$/);
  });
});
