import { describe, expect, it } from "vitest";

import { linesOf } from "./lines-of.js";

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
    expect(lines.slice(1)).toEqual(["1: # One (15)", "15: ## Two (1)"]);
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
    expect(script[1]).toMatch(/^1: class A/);
    expect(script.at(-1)).toMatch(/^10: function h/);
  });
});
