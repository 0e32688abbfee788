/** What readers type into the search of the built site leads to the guide that they mean. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import MiniSearch from "minisearch";

import { KEYWORDS } from "../.vitepress/keywords.js";
import { SEARCH_OPTIONS } from "../.vitepress/search.js";

const CHUNKS = "docs/.vitepress/dist/assets/chunks";
const base = process.env["DOCS_BASE"] ?? "/";

/** By what a reader types: where one of the first two results has to lead. */
const QUESTIONS: Readonly<Record<string, string>> = {
  streaming: "how-it-works#streams",
  "own loop": "guides/your-own-loop",
  createAgent: "quickstart",
  threshold: "guides/thresholds",
  options: "options",
  "own store": "guides/write-a-part",
  postgres: "stores#postgresql",
  references: "guides/references",
  encryption: "guides/private-data",
};

const name = readdirSync(CHUNKS).find((file) => file.startsWith("@localSearchIndex"));
if (name === undefined) throw new Error("The site has no search index: npm run docs");
const { default: index }: { default: string } = await import(
  pathToFileURL(resolve(join(CHUNKS, name))).href
);
const search = MiniSearch.loadJSON<object>(index, {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  searchOptions: SEARCH_OPTIONS,
});

const faults = Object.entries(QUESTIONS).flatMap(([question, wanted]) => {
  const ids = search.search(question).map(({ id }) => String(id).slice(base.length));
  const found = ids.slice(0, 2).some((id) => id.startsWith(wanted));
  return found ? [] : [`${question}: ${wanted} is not first, but ${ids.slice(0, 3).join(", ")}`];
});
console.log(
  `${Object.keys(QUESTIONS).length} questions to the search, ${faults.length} astray; keywords of ${Object.keys(KEYWORDS).length} places`,
);
if (faults.length > 0) {
  console.log(faults.join("\n"));
  process.exit(1);
}
