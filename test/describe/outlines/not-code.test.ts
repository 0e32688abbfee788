import { describe, expect, it } from "vitest";

import { outlineOf } from "../../../src/describe/outlines/outline-of.js";
import { outlineLines } from "../../../src/describe/outlines/outline.js";
import { previewOf } from "../../../src/describe/preview.js";
import type { ContentKind } from "../../../src/types/content.js";
import { textContent } from "../fixture.js";

async function linesOf(kind: ContentKind, lines: readonly string[]): Promise<string[]> {
  const content = textContent(`${lines.join("\n")}\n`, kind);
  const outline = await outlineOf(content, content.body.length);
  return outline === undefined ? [] : outlineLines(outline, 100_000);
}

describe("headings", () => {
  it("are none within a fence, which only one as long ends, nor within a remark", async () => {
    const lines = await linesOf("markdown", [
      "# One",
      "````md",
      "```js",
      "# not a heading",
      "```",
      "````",
      "```",
      "```js",
      "# not one either",
      "```",
      "<!--",
      "# nor this",
      "-->",
      "<!-- # one line -->",
      "## Two",
    ]);
    expect(lines.slice(1)).toEqual(["1: One (15)", "15:   Two (1)"]);
  });
});

describe("definitions", () => {
  it("are none within strings of several lines", async () => {
    const python = await linesOf("code", [
      "class A:",
      '    """Says how.',
      "",
      "def not_one():",
      '    """',
      "    def f(self):",
      "        return '`' # it's `",
      "def g():",
      "    pass",
    ]);
    expect(python.slice(1).map((line) => line.replace(/^[\d-]+: */, ""))).toEqual([
      expect.stringContaining("class A"),
      expect.stringContaining("def f"),
      expect.stringContaining("def g"),
    ]);
    const script = await linesOf("code", [
      "class A {",
      "  f() {",
      "    return `",
      "function no() {",
      "# ${`x`}",
      "}`;",
      "  }",
      "  g() {}",
      "}",
      "function h() {}",
    ]);
    expect(script.some((line) => line.includes("no()"))).toBe(false);
    expect(script[1]).toMatch(/^1-9: class A/);
    expect(script.at(-1)).toMatch(/^10: function h/);
  });
});

describe("the times of a log", () => {
  const log = (times: readonly string[]) =>
    linesOf(
      "log",
      times.map((time) => `${time} INFO started a thing`),
    );

  it("are the least and the greatest where they compare", async () => {
    const newest = await log(["2026-01-02 00:59:00", "2026-01-02 00:30:00", "2026-01-02 00:10:00"]);
    expect(newest[0]).toBe("2026-01-02 00:10:00 to 2026-01-02 00:59:00");
  });

  it.each([
    [["2026-01-02T00:59:00+01:00", "2026-01-02T00:10:00+02:00"]],
    [["Dec 31 23:59:00", "Jan  1 00:10:00"]],
    [["2026-01-02 00:59:00", "00:10:00"]],
  ])("are those of the first line and the last in %j", async (times) => {
    const lines = await log(times);
    expect(lines[0]).toBe(`first line ${times[0]}, last line ${times.at(-1)}`);
  });
});

describe("kinds of lines", () => {
  it("are told apart by their words, not by names with digits, and a line is shown as it is", async () => {
    const packages = Array.from({ length: 300 }, (_, n) => {
      const name = `lib${"abcdefghij"[n % 10]}${n}:amd64 2.${n}-1~deb12u${n}`;
      return `2026-01-02 00:00:00 ${n % 3 === 0 ? "upgrade" : n % 3 === 1 ? "install" : "configure"} ${name}`;
    });
    const lines = await linesOf("log", packages);
    expect(lines.filter((line) => line.startsWith("100x"))).toEqual([
      "100x, first in line 1: upgrade # #",
      "100x, first in line 2: install # #",
      "100x, first in line 3: configure # #",
    ]);
    expect(lines).toContain("line 1: 2026-01-02 00:00:00 upgrade liba0:amd64 2.0-1~deb12u0");
  });
});

describe("the preview of text that begins with remarks", () => {
  it("has the first lines that are none too, within its room", () => {
    const text = `${"# a remark\n".repeat(200)}${"AD\t+4230+00131\tEurope/Andorra\n".repeat(200)}`;
    const content = textContent(text, "text");
    const size = { sizeBytes: content.body.length, headerBytes: 0 };
    const { preview = "", preview_end: end = "" } = previewOf(content, size, 800);
    expect(preview).toMatch(/^# a remark\n[^]+\n…\nAD\t/);
    expect(preview.length + end.length).toBeLessThanOrEqual(800);
  });
});
