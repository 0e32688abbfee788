import * as fc from "fast-check";
import { expect, it } from "vitest";

import { indented } from "../../src/inspect/page/format.js";

it("JSON over several lines has every token as it is spelled, in its order", () => {
  expect(indented('{"b":1.10,"b":2,"2":[],"1":{"a":[1e400,"x\\u00fc, {"]}}')).toBe(
    '{\n  "b": 1.10,\n  "b": 2,\n  "2": [],\n  "1": {\n    "a": [\n      1e400,\n      "x\\u00fc, {"\n    ]\n  }\n}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

it("text that is no JSON stays as it is", () => {
  expect(indented("[INFO] {")).toBe("[INFO] {");
});

it("JSON nested as deep as a page is long has lines of bounded length", () => {
  const depth = 131_000;
  const lines = indented("[".repeat(depth) + "]".repeat(depth)).split("\n");
  expect(lines.length).toBe(2 * depth - 1);
  expect(Math.max(...lines.slice(0, 1000).map((line) => line.length))).toBeLessThan(200);
});
