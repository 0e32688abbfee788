import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headAndTail } from "../../../src/core/describe/head-and-tail.js";
import { countTokens } from "./fixture.js";

describe("headAndTail", () => {
  it("leaves a text of exactly the limit alone and cuts one of a byte more", async () => {
    const whole = await headAndTail({
      text: "é".repeat(500),
      limit: { bytes: 1000 },
      count: countTokens,
    });
    expect(whole).toEqual({
      text: "é".repeat(500),
      head: "é".repeat(500),
      tail: "",
      droppedBytes: 0,
    });
    const cut = await headAndTail({
      text: "é".repeat(501),
      limit: { bytes: 1001 },
      count: countTokens,
    });
    expect(cut.droppedBytes).toBeGreaterThan(0);
    expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(1001);
  });

  it("keeps 40 characters at each end when there is room for no more, whatever the limit", async () => {
    const text = "word ".repeat(1000);
    for (const bytes of [130, 30, 1, 0]) {
      const cut = await headAndTail({ text, limit: { bytes }, count: countTokens });
      expect([cut.head, cut.tail]).toEqual([text.slice(0, 40), text.slice(-40)]);
      expect(cut.text).toContain("[truncated 4.9 kB; head and tail preserved]");
    }
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 2000 }),
    fc.string({ unit: fc.constantFrom("😀", "a", "\n", "漢", "},{"), maxLength: 3000 }),
    fc.json({ maxDepth: 4 }).map((json) => json.repeat(20)),
  );

  it.each(["bytes", "tokens"] as const)(
    "is within any limit of %s, a real prefix and a real suffix",
    async (unit) => {
      await fc.assert(
        fc.asyncProperty(text, fc.nat(400), async (text, size) => {
          const limit = unit === "bytes" ? { bytes: size } : { tokens: size };
          const cut = await headAndTail({ text, limit, count: countTokens });
          const result = unit === "bytes" ? Buffer.byteLength(cut.text) : countTokens(cut.text);
          const isLeast = Math.max(cut.head.length, cut.tail.length) <= 40;
          if (!isLeast && cut.droppedBytes > 0) expect(result).toBeLessThanOrEqual(size);
          expect(text.startsWith(cut.head)).toBe(true);
          expect(text.endsWith(cut.tail)).toBe(true);
          expect(cut.head.length + cut.tail.length).toBeLessThanOrEqual(text.length);
          if (text.isWellFormed()) expect(cut.text.isWellFormed()).toBe(true);
        }),
        { numRuns: 150 },
      );
    },
  );
});
