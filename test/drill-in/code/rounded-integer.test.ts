import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { roundedInteger } from "../../../src/drill-in/code/worker/reading/rounded-integer.js";

const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom("9007199254740992", "9007199254740993", "-9007199254740993", "1e400", "-0"),
  fc.constantFrom(
    "1152921504606846976",
    "0.12345678901234567",
    "1".repeat(400),
    "12345678901234567.5",
  ),
  fc.integer().map(String),
);
const text = fc.oneof(
  fc.string(),
  number,
  number.map((digits) => `\\": ${digits}, "`),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    number,
    text.map((one) => JSON.stringify(one)),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" ,")}]`),
    fc
      .array(fc.tuple(text, tie("value")), { maxLength: 4 })
      .map((all) => `{${all.map(([key, one]) => `${JSON.stringify(key)}: ${one}`).join(",")}}`),
  ),
}));

/** What stands in no string, and is an integer that its number is not. */
function roundedOf(json: string): readonly string[] {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+/g) ?? [];
  return tokens.filter(
    (token) =>
      /^-?\d+$/.test(token) &&
      (Math.abs(Number(token)) === Infinity || BigInt(token) !== BigInt(Number(token))),
  );
}

describe("an integer that is rounded", () => {
  it("is found where there is one, the first, and in no text", () => {
    fc.assert(
      fc.property(value, (json) => {
        const [first] = roundedOf(json);
        const found = roundedInteger(json);
        expect(found?.slice(0, 30)).toBe(first?.slice(0, 30));
        expect(roundedInteger(Buffer.from(json))).toBe(found);
      }),
      { numRuns: 3000 },
    );
  });

  it("is shown in part when it is long, and digits in a row are passed over once", () => {
    expect(roundedInteger(`[${"7".repeat(3_000_000)}]`)).toBe(`${"7".repeat(40)}…`);
    expect(roundedInteger(`"${"7".repeat(3_000_000)}"`)).toBeUndefined();
  });
});
