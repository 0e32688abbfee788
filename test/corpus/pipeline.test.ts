import { readdirSync } from "node:fs";

import { expect, it } from "vitest";

import { content } from "./cases/content.js";
import { decisions } from "./cases/decisions.js";
import { failures } from "./cases/failures.js";
import { hostile } from "./cases/hostile.js";
import { options } from "./cases/options.js";
import { presets } from "./cases/presets.js";
import { puts } from "./cases/puts.js";
import { streams } from "./cases/streams.js";
import { turns } from "./cases/turns.js";
import { corpus, isUpdate } from "./pins.js";

const groups = { content, decisions, failures, hostile, options, presets, puts, streams, turns };
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
