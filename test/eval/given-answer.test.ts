import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { givenAnswer } from "../../eval/given-answer.js";

describe("an answer in a message", () => {
  it.each([
    ["I counted.\nAnswer: 1,234", 1234],
    ['**ANSWER:** `["a", "b"]`', ["a", "b"]],
    ['ANSWER:\n```json\n{"north": 3}\n```', { north: 3 }],
    ["ANSWER: 3\nNo, wait.\nANSWER: 4", 4],
    ["ANSWER: -2.5e1", -25],
    // A11: what was misread.
    ["ANSWER: -.5", -0.5],
    ["ANSWER: \u22123", -3],
    ["ANSWER: 1,234,567.5 in all", 1_234_567.5],
    ['ANSWER: {"a": 1} ({without} the {others})', { a: 1 }],
    ['ANSWER: {"a": 1}\nI left {"b": 2} out.', { a: 1 }],
    ['The {set} of {"a": 1} and then {"b": {"c": "}"}}.', { b: { c: "}" } }],
    ['**ANSWER:** `{"a`b": 1}`', { "a`b": 1 }],
    ['ANSWER: {"note": "my answer: 5"}', { note: "my answer: 5" }],
    ['ANSWER:\n{\n"answer": 5\n}', { answer: 5 }],
    ["**Answer**: 5", 5],
    ['ANSWER: "north"', "north"],
    ["ANSWER: $1,200", 1200],
    ["ANSWER: v2 has 7", 7],
  ])("is found in %j", (text, answer) => {
    expect(givenAnswer(text)).toEqual(answer);
  });

  it("is what was said, for any JSON object, list or number", () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.array(fc.string({ unit: "binary" })),
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 })),
    );
    fc.assert(
      fc.property(
        value,
        fc.stringMatching(/^[a-zA-Z .{[("]*$/),
        fc.constantFrom("", "\n", " {and} so on", "\n```", "**", " ["),
        (said, words, after) => {
          const json = JSON.stringify(said);
          expect(givenAnswer(`${words}\nANSWER: ${json}${after}`)).toEqual(JSON.parse(json));
        },
      ),
    );
  });
});
