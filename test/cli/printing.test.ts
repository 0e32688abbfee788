import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableLine } from "../../src/cli/print/printable.js";
import { withProgress } from "../../src/cli/print/progress.js";
import { table } from "../../src/cli/print/table.js";

const plain = (_: string, text: string): string => text;
const anyText = fc.string({ unit: "binary", maxLength: 200 });

describe("printable text", () => {
  it("has no character that a terminal acts on", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(
          /(?![\t\n])\p{Cc}|[\u00ad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u,
        );
        expect(Buffer.from(shown).toString()).toBe(shown);
        expect(printableLine(text)).not.toMatch(/[\n\t]/);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });

  it.each([
    ["\u001b]0;title\u0007", String.raw`\u001b]0;title\u0007`],
    ["a\r\nb", "a\nb"],
    ["progress\rover", String.raw`progress\u000dover`],
    ["\u009b31m", String.raw`\u009b31m`],
    ["\u202egnp.exe", String.raw`\u202egnp.exe`],
    ["cut \ud83d", String.raw`cut \ud83d`],
    ["\u{e0041}", String.raw`\u{e0041}`],
  ])("shows %j as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});

describe("a table", () => {
  it("has its columns in line for writing of every width", () => {
    const columns = [{ title: "NAME" }, { title: "N", align: "right" as const }];
    const cells = ["尺寸", "e\u0301te\u0301", "😀", "ｶﾅ", "한국어", "ＡＢ", "a", "✔"];
    const lines = table(
      columns,
      cells.map((cell) => [cell, "7"]),
      plain,
    )
      .trimEnd()
      .split("\n");
    const widths = [4, 3, 2, 2, 6, 4, 1, 1];
    for (const [index, width] of widths.entries()) {
      expect(lines[index + 1]).toBe(`${cells[index]}${" ".repeat(6 - width)}  7`);
    }
  });
});

describe("progress", () => {
  async function shown(isTerminal: boolean, workMs: number): Promise<string> {
    let stderr = "";
    const err = { isTerminal, write: async (text: string | Uint8Array) => void (stderr += text) };
    const wait = () => new Promise<string>((resolve) => setTimeout(() => resolve("done"), workMs));
    expect(await withProgress({ err }, () => "Working", wait)).toBe("done");
    return stderr;
  }

  it("is a line that goes away, for long work on a terminal", async () => {
    const parts = (await shown(true, 1000)).split("\r\u001b[K");
    expect(parts.length).toBeGreaterThan(2);
    expect([...new Set(parts)]).toEqual(["", "Working"]);
    expect(parts.at(-1)).toBe("");
  });
});
