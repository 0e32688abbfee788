import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  areNumbersShort,
  type Scan,
  restoreCommas,
  type ScanInput,
  scanJson,
  textInput,
} from "../../../../src/core/content/json/json-scan.js";
import { elementTexts, placeAt, textAt } from "../../../../src/core/content/json/json-text.js";
import { jsonTokens, spacing } from "../arbitrary-json.js";

/** The same text, a few bytes at a time. */
function inParts(text: string, partBytes: number): ScanInput {
  const bytes = Buffer.from(text);
  const target = Buffer.alloc(bytes.length + 1);
  let at = 0;
  return {
    fill(window) {
      const part = bytes.subarray(at, at + Math.min(partBytes, window.length));
      window.set(part);
      at += part.length;
      return part.length;
    },
    isOver: () => at === bytes.length,
    room: () => target,
  };
}

async function compactedOf({ bytes, length, roots, firstRootEnd }: Scan): Promise<string> {
  await restoreCommas(bytes, 0, roots > 1 ? firstRootEnd : length);
  return bytes.toString("utf8", 0, length);
}

describe("A text that comes in parts", () => {
  const edit = fc.record({
    at: fc.nat(),
    insert: fc.constantFrom("", "", ",", "]", "{", '"', "\\", "\\u00", "\n", "\n[1]", "e", "tru"),
  });

  it("is scanned as it is whole, wherever they end", async () => {
    await fc.assert(
      fc.asyncProperty(
        jsonTokens,
        spacing,
        edit,
        fc.integer({ min: 1, max: 40 }),
        async (tokens, space, { at, insert }, partBytes) => {
          const spaced = space(tokens);
          const from = at % (spaced.length + 1);
          const text = spaced.slice(0, from) + insert + spaced.slice(from);
          const whole = await scanJson(textInput(text));
          const parts = await scanJson(inParts(text, partBytes));
          expect(parts === undefined).toBe(whole === undefined);
          if (parts === undefined || whole === undefined) return;
          const { outline, roots, rootOffsets, firstRootEnd } = whole;
          expect(parts).toMatchObject({ roots, rootOffsets, firstRootEnd });
          expect(parts.outline).toEqual(outline);
          expect(await compactedOf(parts)).toBe(await compactedOf(whole));
        },
      ),
      { numRuns: 500 },
    );
  });
});

it("a string ends at each byte that JSON does not take raw, and at no other, wherever it stands", async () => {
  for (let value = 0; value < 128; value += 1) {
    for (let place = 0; place < 40; place += 1) {
      const text = `["${"a".repeat(place)}${String.fromCharCode(value)}"]`;
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const scan = await scanJson(textInput(text));
      expect({ text, isJson: scan !== undefined }).toEqual({ text, isJson });
    }
  }
});

describe("Numbers", () => {
  const long = ["1234567890123456", "-123456789012345", "0.12345678901234", "1e5", "1E400", "2e-7"];

  it.each(long)("are known to be long where one is: %s", async (number) => {
    for (const text of [`[1, ${number}, 2]`, `{"a": ${number}}`, number]) {
      for (let partBytes = 1; partBytes < 30; partBytes += 1) {
        const scan = await scanJson(inParts(text, partBytes));
        expect(scan && areNumbersShort(scan)).toBe(false);
      }
    }
  });
});

const string = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("\\", '"', "a") }));
const indent = fc.constantFrom(0, 1, "\t", "\n \r");

describe("a place in JSON", () => {
  it("is where the keys lead, whatever stands around it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), string, string, indent, (value, one, two, space) => {
        const json = JSON.stringify(
          { "[": "]}", [two]: one, [one]: { '"': ["\\", {}], [two]: value } },
          undefined,
          space,
        );
        const whole = JSON.parse(json) as Record<string, Record<string, unknown>>;
        const place = placeAt(json, [one, two]);
        if (place === undefined) throw new Error("not found");
        expect(JSON.parse(textAt(json, place))).toEqual(whole[one]?.[two]);
      }),
    );
  });

  it("gives an array's elements with their tokens as they came", () => {
    const json =
      ' {"a":{"items": [ 9007199254740993 , 1.0,"\\u00e9,]\\"", {"b":1,"b":2},[],null ]}}';
    const place = placeAt(json, ["a", "items"]);
    expect(place && elementTexts(json, place)).toEqual([
      "9007199254740993",
      "1.0",
      '"\\u00e9,]\\""',
      '{"b":1,"b":2}',
      "[]",
      "null",
    ]);
  });
});
