import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fieldsOfLines } from "../../../src/plugins/code/worker/reading/fields-of-lines.js";

/** Keys that are asked for, and others that look like them. */
const KEYS = ["a", "city", "é", "", "ci", "b c", '"city"', "\\", "a\n", "__proto__"];
const key = fc.constantFrom(...KEYS);
const spaces = fc.constantFrom("", " ", "\t", "  ", "\r");

/** A key or a text as JSON, each of its letters plain or as an escape. */
function quoted(text: string, isEscaped: boolean): string {
  if (!isEscaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(fc.tuple(key, fc.nat(19), tie("value"), spaces), { maxLength: 6 })
    .map((members) => {
      const texts = members.map(
        ([name, turn, one, space]) => `${space}${quoted(name, turn === 0)}${space}:${one}${space}`,
      );
      return `{${texts.join(",")}}`;
    }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 0 }).map((one) => JSON.stringify(one)),
    fc.string().map((one) => JSON.stringify(`"city":${one}`)),
    fc.constantFrom("-0", "1e400", "12345678901234567890", '"a,{[\\"\\\\"'),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
    tie("object"),
  ),
}));
const members = fc.array(fc.tuple(key, fc.nat(19), value, spaces), { maxLength: 8 });
const line = members.map((all) => {
  const texts = all.map(
    ([name, turn, one, space]) => `${space}${quoted(name, turn === 0)} :${space}${one}`,
  );
  return `${texts.length > 3 ? " " : ""}{${texts.join(" ,")}} `;
});

describe("fields by their bytes", () => {
  const names = ["city", "a", "é", "b c", ""];

  it("are those that JSON.parse gives, whatever stands around them, or are left to it", () => {
    let scanned = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), fc.boolean(), (lines, isEnded) => {
        const text = lines.join("\n") + (isEnded ? "\n" : "");
        const picked = fieldsOfLines(names)?.(Buffer.from(text));
        if (picked === undefined) return;
        scanned += 1;
        const expected = lines.map((one): unknown => {
          const record = JSON.parse(one) as Record<string, unknown>;
          const there = names.filter((name) => Object.hasOwn(record, name));
          return Object.fromEntries(there.map((name) => [name, record[name]]));
        });
        expect(JSON.parse(picked.content.toString())).toEqual(expected);
        expect(picked.count).toBe(lines.length);
        expect(picked.found).toEqual(
          names.map((name) => expected.some((one) => Object.hasOwn(Object(one), name))),
        );
      }),
      { numRuns: 500 },
    );
    expect(scanned).toBeGreaterThan(100);
  });

  it.each(['{"a":1', "[1]", "1", '{"a"}', '{"a":}', '{"b":{"a":1}', '{"b":"x}'])(
    "are left to the parser in %j",
    (text) => {
      expect(fieldsOfLines(["a"])?.(Buffer.from(`${text}\n{"a":1}\n`))).toBeUndefined();
    },
  );
});
