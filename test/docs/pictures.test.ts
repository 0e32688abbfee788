import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { PICTURE_SOURCE, pictureSource } from "../../scripts/picture-source.js";

it("the pictures of the page were taken of the page as it is; else `npm run build && npx tsx scripts/screenshots.ts`", () => {
  expect(readFileSync(PICTURE_SOURCE, "utf8").trim()).toBe(pictureSource());
});
