import { readdirSync } from "node:fs";

import { expect, it } from "vitest";

import { pipeline } from "./cases/pipeline.js";
import { presets } from "./cases/presets.js";
import { streams } from "./cases/streams.js";
import { corpus, isUpdate } from "./pins.js";

const groups = { pipeline, presets, streams };
for (const [group, cases] of Object.entries(groups)) corpus(group, cases);

const namesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, import.meta.url)).map((file) => file.replace(/\.\w+$/, ""));

// What is pinned anew is written beside this test.
it.skipIf(isUpdate)(
  "the corpus has a table of cases for every file that is pinned, and the other way round",
  () => {
    expect(namesIn("cases").toSorted()).toEqual(namesIn("pinned").toSorted());
  },
);
