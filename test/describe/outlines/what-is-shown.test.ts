import { describe, expect, it } from "vitest";
import { linesOf } from "./lines-of.js";

describe("the shape of a document", () => {
  const regions = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `R${n}`,
      n % 2 === 0 ? [{ [`C${n}`]: { from: "1" } }] : [{ X: { from: "2", to: "3" } }, { Y: {} }],
    ]),
  );

  it("merges lists under keys that are data, and objects with one of many keys", async () => {
    expect(await linesOf("json-document", JSON.stringify({ a: 1, regions }))).toContain(
      ".regions[] (40 by key: R0, R1, R2, …): [] of 60 {}",
    );
    const lines = await linesOf("json-document", JSON.stringify({ regions }));
    expect(lines.at(-1)).toMatch(/^\.regions\[\]\[\].*: from: "1" ×20/);
  });

  it("tells what stands beside a map, and one of its members for all", async () => {
    const like = (n: number): object => ({ info: { n, url: `u${n}`, of: [n], at: {} } });
    const features = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f-${n}`, like(n)]));
    const value = { list: { status: { on: true, of: { a: [] } }, ...features } };
    const lines = await linesOf("json-document", JSON.stringify(value));
    expect(lines).toContain(".list: status{}, 10 like f-0{}");
    expect(lines).toContain('.list."f-0" (one of 10: f-0, f-1, f-2, …): info{}');
    expect(lines).toContain(
      '.list."f-0".info (one of 10): n: number, url, of[] of 10 number, at{}',
    );
  });

  it("tells numbers from text, and counts few values and those that lack them", async () => {
    const value = Array.from({ length: 9 }, (_, n) => ({
      digits: String(n % 2),
      year: String(1990 + n),
      size: n % 3,
      ...(n > 6 ? { note: `note ${n}` } : {}),
      more: [],
    }));
    expect((await linesOf("json-document", JSON.stringify({ value, x: 1 })))[2]).toBe(
      '.value[] (9): digits: "0" ×5, "1" ×4, year: number in text, size: 0 ×3, 1 ×3, 2 ×3, more[], note (7 lack)',
    );
  });

  it("has the values of attributes", async () => {
    const text = `<g>${'<n class="node"/><n class="edge" to="&lt;"/>'.repeat(6)}</g>`;
    expect(await linesOf("xml", text)).toContain(
      '.g: n[] of 12 {@class: "node" ×6, "edge" ×6, @to (6 lack)}',
    );
  });
});

describe("what is left out", () => {
  it("is told by level, after whole levels; headings are shortened before a level is cut", async () => {
    const name = "a heading with many words that goes on for long";
    const section = (n: number): string => `## ${n} ${name}\n\n${"### deeper\n\n".repeat(9)}`;
    const text = `# T\n\n${Array.from({ length: 15 }, (_, n) => section(n)).join("")}`;
    const lines = await linesOf("markdown", text, 900);
    expect(lines.filter((line) => /^\d+: {3}\d+ a heading/.test(line))).toHaveLength(15);
    expect(lines[0]).toBe("line: heading (how many lines); # 1, ## 15, ### 135");
    expect(lines.at(-1)).toBe("135 more headings not shown: 135 of level 3");
  });

  it("keeps the gravest kinds of a log first", async () => {
    const usual = (kind: number): string =>
      `2026-01-01T10:00:00Z INFO ${"abcdefghij"[kind]} all of it went well in this part\n`.repeat(
        9,
      );
    const text = `${Array.from({ length: 10 }, (_, kind) => usual(kind)).join("")}${"2026-01-01T10:00:00Z ERROR no\n".repeat(2)}`;
    const lines = await linesOf("log", text, 400);
    expect(lines[5]).toBe("2x, first in line 91: ERROR no");
  });
});
