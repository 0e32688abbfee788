import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { columnsOf, cutToColumns } from "../../src/cli/print/columns.js";
import { printable, printableLine } from "../../src/cli/print/printable.js";
import { withProgress } from "../../src/cli/print/progress.js";
import { paintFor } from "../../src/cli/print/style.js";
import { table } from "../../src/cli/print/table.js";
import { bytes, grouped } from "../../src/util/amounts.js";
import { date, duration } from "../../src/cli/print/units.js";

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

  it("is the text itself where nothing is unsafe", () => {
    for (const text of ["", "a\tb\nc", "Größe, 尺寸, 😀", String.raw`\u001b[31m`])
      expect(printable(text)).toBe(text);
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
  it("has its columns in line, and long cells cut", () => {
    const columns = [{ title: "NAME" }, { title: "N", align: "right" as const }, { title: "REST" }];
    const rows = [
      ["a", "10", ""],
      ["b\u001b[2J\nc", "9", "x".repeat(40)],
    ];
    expect(table(columns, rows, plain)).toBe(
      `NAME            N  REST\na              10\nb\\u001b[2J\\nc   9  ${"x".repeat(31)}…\n`,
    );
  });

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

  it("cuts a long cell where the columns end, never within a character", () => {
    const family = "👩‍🚀";
    expect(cutToColumns("尺".repeat(16), 32)).toBe("尺".repeat(16));
    expect(cutToColumns("尺".repeat(17), 32)).toBe(`${"尺".repeat(15)}…`);
    expect(cutToColumns(family.repeat(3), 5)).toBe(`${family}${family}…`);
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, max) => {
        expect(columnsOf(cutToColumns(text, max))).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("has colours on a terminal only, and not with NO_COLOR", () => {
    const bold = (isTerminal: boolean, env: Record<string, string>): string => {
      const output = { isTerminal, write: async () => undefined };
      return paintFor(output, { env })("bold", "x");
    };
    expect(bold(true, {})).toBe("\u001b[1mx\u001b[0m");
    expect(bold(true, { NO_COLOR: "" })).toBe("\u001b[1mx\u001b[0m");
    expect(bold(false, {})).toBe("x");
    expect(bold(true, { NO_COLOR: "1" })).toBe("x");
    expect(bold(true, { TERM: "dumb" })).toBe("x");
  });
});

describe("numbers for people", () => {
  it("have at most three digits and a unit", () => {
    const sizes = [0, 999, 1000, 9940, 9960, 999_499, 999_500, 1.2e9, 5e15];
    expect(sizes.map(bytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "9.9 kB",
      "10 kB",
      "999 kB",
      "1.0 MB",
      "1.2 GB",
      "5000 TB",
    ]);
    const times = [-1, 59_999, 60_000, 3_599_999, 3_600_000, 172_799_999, 172_800_000];
    expect(times.map(duration)).toEqual(["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 d"]);
    expect(grouped(1_234_567)).toBe("1,234,567");
    expect([date(0), date(1e300)]).toEqual(["1970-01-01T00:00:00.000Z", "1e+300"]);
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

  it("is nothing for short work, and nothing where no terminal is", async () => {
    expect(await shown(true, 1)).toBe("");
    expect(await shown(false, 700)).toBe("");
  });

  it("goes away when the work fails", async () => {
    let stderr = "";
    const err = {
      isTerminal: true,
      write: async (text: string | Uint8Array) => void (stderr += text),
    };
    const fail = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no")), 700));
    await expect(withProgress({ err }, () => "Working", fail)).rejects.toThrow("no");
    expect(stderr.endsWith("Working\r\u001b[K")).toBe(true);
  });
});
