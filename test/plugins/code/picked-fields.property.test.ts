import * as fc from "fast-check";
import { expect, it } from "vitest";

import { openReading } from "../../../src/plugins/code/worker/readings.js";
import { bodyOf } from "./code-runs.js";

const MAX_LINE_BYTES = 1 << 23;

const key = fc.constantFrom("city", "score", "a/b", "name", 'with "quotes"', "é", "city2");
const value = fc.oneof(
  fc.constantFrom('"city"', "city", '{"city":1}', "\\", '\n"score":', ""),
  fc.integer(),
  fc.array(fc.oneof(fc.constant({ city: "inner", score: [1] }), fc.constant("]"))),
  fc.record({ city: fc.string(), score: fc.boolean() }),
);
const member = fc.tuple(key, value, fc.boolean());

/** JSON of members as they come, keys twice among them; some keys are escaped throughout. */
function jsonOf(members: readonly (readonly [string, unknown, boolean])[]): string {
  const texts = members.map(([name, given, isEscaped]) => {
    const plain = JSON.stringify(name);
    const escaped = `"${Array.from(name, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
    return `${isEscaped ? escaped : plain}: ${JSON.stringify(given)}`;
  });
  return `{${texts.join(" , ")}}`;
}

it("the fields that are asked for are those of the record, wherever they stand and however they are written", () => {
  fc.assert(
    fc.property(fc.array(fc.array(member), { minLength: 1 }), (records) => {
      const lines = records.map(jsonOf);
      const body = bodyOf("records", lines.map((line) => `${line}\n`).join(""));
      const names = ["city", "a/b"];
      const reading = openReading(body, "records", MAX_LINE_BYTES, JSON.stringify([names]));
      const expected = lines.map((line) =>
        Object.fromEntries(
          Object.entries(JSON.parse(line) as object).filter(([name]) => names.includes(name)),
        ),
      );
      const found: unknown[] = [];
      try {
        for (let text = reading.next(); text !== undefined; text = reading.next())
          found.push(...(JSON.parse(text) as unknown[]));
      } catch (error) {
        expect(String(error)).toContain("no record has the field");
      }
      expect(found).toEqual(expected);
    }),
  );
});
