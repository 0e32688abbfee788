/** Makes `docs/benchmarks.md` and its pictures from `bench/results.json`. */
import { mkdirSync, writeFileSync } from "node:fs";

import { readResults } from "../bench/report/results.js";
import { reportOf } from "../bench/report/report.js";

const results = readResults();
if (results === undefined) throw new Error("There are no results: run `npm run bench` first.");
mkdirSync("docs/benchmarks", { recursive: true });
for (const [path, text] of await reportOf(results)) {
  writeFileSync(path, text);
  console.log(path);
}
