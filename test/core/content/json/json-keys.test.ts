import * as fc from "fast-check";
import { expect, it } from "vitest";

import { identifyContent } from "../../../../src/core/content/identify.js";

const escaped = (key: string): string =>
  key.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const token = fc
  .tuple(fc.string({ unit: "binary", maxLength: 2 }), fc.boolean())
  .map(([key, isEscaped]) => (isEscaped ? `"${escaped(key)}"` : JSON.stringify(key)));

it("an object is a map of records if its keys come once, however they are spelled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: 3, maxLength: 40 }), async (tokens) => {
      const { kind } = await identifyContent(
        `{${tokens.map((key) => `${key}:{"a":1}`).join(",")}}`,
      );
      const areUnique =
        new Set(tokens.map((key): unknown => JSON.parse(key))).size === tokens.length;
      expect(kind).toBe(areUnique ? "json-map" : "json-document");
    }),
  );
});
