import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementTexts, placeAt, textAt } from "../../../../src/core/content/json/json-text.js";

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
