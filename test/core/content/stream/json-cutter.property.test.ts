import fc from "fast-check";
import { expect, it } from "vitest";

import { createJsonCutter } from "../../../../src/core/content/stream/json-cutter.js";

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** Texts of JSON whose strings are full of what the cutter looks for. */
const items = fc.array(
  fc
    .record({
      value: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.string({ unit: fc.constantFrom('"', "\\", ",", "\n", "{", "]", "é", "a") })),
      ),
      indent: fc.constantFrom(0, 2),
    })
    .map(({ value, indent }) => JSON.stringify([value], null, indent)),
  { minLength: 1, maxLength: 8 },
);

it("cuts behind the last item that is over, wherever the blocks end", () => {
  fc.assert(
    fc.property(
      items,
      fc.constantFrom(LINE_FEED, COMMA),
      fc.infiniteStream(fc.integer({ min: 0, max: 12 })),
      (texts, separator, sizes) => {
        const text = Buffer.from(texts.join(String.fromCharCode(separator)));
        const separators: number[] = [];
        let length = 0;
        for (const item of texts.slice(0, -1)) {
          length += Buffer.byteLength(item);
          separators.push(length);
          length += 1;
        }
        const cutter = createJsonCutter(separator);
        let cut = -1;
        for (let from = 0; from < text.length;) {
          const to = Math.min(text.length, from + (sizes.next().value ?? 1));
          const { bytes, end } = cutter.take(text.subarray(from, to));
          const begun = cut + 1;
          if (end > 0) {
            cut += end;
            expect(bytes.subarray(1, end).equals(text.subarray(begun, cut))).toBe(true);
          }
          expect(cut).toBe(separators.findLast((at) => at < to) ?? -1);
          expect(cutter.rest().equals(text.subarray(cut + 1, to))).toBe(true);
          from = to;
        }
        const { bytes, end } = cutter.last();
        expect(bytes.subarray(1, end).equals(text.subarray(cut + 1))).toBe(true);
        expect(cutter.isClosed()).toBe(false);
      },
    ),
  );
});

it("says where a bracket closes that was not opened, and not where one stands in a string", () => {
  const cutter = createJsonCutter(COMMA);
  cutter.take(Buffer.from('{"a":"]\\'));
  cutter.take(Buffer.from('"]"},2'));
  expect(cutter.isClosed()).toBe(false);
  const { bytes, end } = cutter.take(Buffer.from("3] rest"));
  expect(cutter.isClosed()).toBe(true);
  expect(bytes.toString("utf8", 1, end)).toBe("23");
  expect(cutter.rest().toString()).toBe(" rest");
});
