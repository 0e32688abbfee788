/** Makes `docs/benchmarks.md` and its pictures from `bench/results.json`. */
import { writeReport } from "../bench/report/report.js";
import { readResults } from "../bench/report/results.js";

const results = readResults();
if (results === undefined) throw new Error("There are no results: run `npm run bench` first.");
for (const path of await writeReport(results)) console.log(path);
