import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeSurrogates } from "../../../src/content/json/escape-surrogates.js";
import { encodeText, turnIntoWtf8 } from "../../../src/util/text-encoding.js";
import { bytesAsCame } from "../../../src/content/source-bytes.js";

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

/** Turns of the event loop while a job runs. */
async function turnsDuring(job: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await job();
  isOver = true;
  return turns;
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

  it("by the million leave the event loop its turns", async () => {
    const text = LEAD.repeat(1_000_000);
    expect(await turnsDuring(() => escapeSurrogates(text))).toBeGreaterThanOrEqual(10);
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

  it("leave the event loop its turns", async () => {
    const text = `${LEAD} `.repeat(4 << 20);
    const bytes = Buffer.from(text, "utf8");
    expect(await turnsDuring(() => turnIntoWtf8(text, bytes))).toBeGreaterThanOrEqual(7);
    expect(bytes.equals(encodeText(text).bytes)).toBe(true);
  });
});
