import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeSurrogates } from "../../../../src/core/content/json/identify-json.js";
import { encodeText } from "../../../../src/util/text-encoding.js";
import { bytesAsCame } from "../../../../src/core/content/bytes.js";

const LEAD = "\ud83d";
const TRAIL = "\ude00";

const anyText = fc.string({
  unit: fc.constantFrom("a", "\\", '"', LEAD, TRAIL, `${LEAD}${TRAIL}`, "\n", "é"),
  maxLength: 40,
});

/** What is escaped, said in one expression. */
function escapedAtOnce(text: string): string {
  return text.replaceAll(/\\[^]|\p{Surrogate}/gu, (match) =>
    match.startsWith("\\") ? match : `\\u${match.charCodeAt(0).toString(16)}`,
  );
}

describe("lone surrogates in JSON text", () => {
  it("are escaped unless a backslash takes them, wherever the text is cut in between", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 0, max: 45 }), async (text, back) => {
        const long = "x".repeat(65_536 - back) + text;
        const escaped = await escapeSurrogates(long);
        expect(escaped).toBe(escapedAtOnce(long));
      }),
      { numRuns: 100 },
    );
  });
});

describe("bytes of a text with lone surrogates", () => {
  it("are the same when they are made part by part", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 0, max: 45 }), async (text, back) => {
        const long = `${"x".repeat((1 << 20) - back)}${text}${LEAD}`;
        const { bytes, encoding } = await bytesAsCame(long);
        expect(encoding).toBe("wtf-8");
        expect(bytes.equals(encodeText(long).bytes)).toBe(true);
      }),
      { numRuns: 33 },
    );
  });
});
