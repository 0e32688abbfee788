import { readdirSync } from "node:fs";

import { expect, it } from "vitest";

const namesIn = (folder: string, extension: string): string[] =>
  readdirSync(new URL(folder, import.meta.url))
    .map((file) => file.slice(0, -extension.length))
    .toSorted();

// What is pinned anew is written beside this test.
const isUpdate = process.env["UPDATE_CORPUS"] === "1";

it.skipIf(isUpdate)(
  "the corpus has a table of cases for every file that is pinned, and the other way round",
  () => {
    expect(namesIn("cases", ".ts")).toEqual(namesIn("pinned", ".json"));
  },
);
