import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { decodeText } from "../../../src/util/text-encoding.js";

describe("large texts", () => {
  it("are split when 10 MB stand in one line", async () => {
    const row = `{"id":12345678901234567890,"text":"${"é漢x ".repeat(60)}"}`;
    const count = Math.ceil(10_000_000 / Buffer.byteLength(row));
    const content = await identifyContent(
      `{"rows": [${Array.from({ length: count }, () => row).join(" , ")}]}`,
    );
    expect(content.records).toMatchObject({ count, path: ["rows"], envelope: '{"rows":[]}' });
    expect(content.body.byteLength).toBe(count * (Buffer.byteLength(row) + 1));
    for (const index of [count - 1, 0, 5_000, 4_999, 5_001])
      expect(content.records?.at(index)).toBe(row);
  });

  it("are split when 100,000 levels are nested, and kept when one is missing", async () => {
    const levels = 100_000;
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const content = await identifyContent(nested);
    expect(content.kind).toBe("json-array");
    expect(content.records?.at(0)).toBe(nested.slice(1, -1));
    const objects = '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    expect((await identifyContent(objects)).kind).toBe("json-document");
    const cut = nested.slice(0, -1);
    const text = await identifyContent(cut);
    expect(text.kind).toBe("text");
    expect(decodeText(text.body)).toBe(cut);
  });

  it("of strings and numbers longer than a megabyte come through whole", async () => {
    const items = [
      `"${"a\\u0041".repeat(400_000)}"`,
      "7".repeat(2_500_000),
      `"${"é".repeat(1_300_000)}"`,
    ];
    const { records } = await identifyContent(` [ ${items.join(" ,\n")} ] `);
    expect([0, 1, 2].map((index) => records?.at(index) === items[index])).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("leave turns to the event loop", async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const tick = (): void => {
      turns += 1;
      immediate = setImmediate(tick);
    };
    let immediate = setImmediate(tick);
    await identifyContent(JSON.stringify(Array.from({ length: 10 }, () => "x".repeat(800_000))));
    clearImmediate(immediate);
    clearInterval(timer);
    // Eight megabytes are measured, written and scanned, with a turn about every megabyte.
    expect(turns).toBeGreaterThan(15);
  });
});
