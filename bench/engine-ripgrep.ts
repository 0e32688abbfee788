import { spawnSync } from "node:child_process";

import type { GrepEngine, GrepRequest } from "../src/drill-in/grep-engine.js";
import { ripgrepPath } from "../src/drill-in/ripgrep-path.js";
import type { BenchRow } from "./row.js";
import { alternate, type DataFile, ms } from "./side-by-side.js";

const PATTERNS = [
  { name: "literal", pattern: "did retry" },
  { name: "regex", pattern: "job (did|does) ret[a-z]y.*memory" },
];

/** Searches by ripgrep behind the engine against ripgrep by itself; nothing when it is not installed. */
export async function ripgrepRows(engine: GrepEngine, file: DataFile): Promise<BenchRow[]> {
  const executable = await ripgrepPath();
  if (executable === undefined) return [];
  const rows: BenchRow[] = [];
  for (const { name, pattern } of PATTERNS) {
    const request: GrepRequest = {
      source: { path: file.path, start: 0, end: file.sizeBytes },
      pattern,
      maxResults: 50,
      maxOutputBytes: 1_000_000,
    };
    await engine.run(request);
    const [ours, other] = await alternate(
      () => engine.run(request),
      () => spawnSync(executable, ["-n", "-e", pattern, file.path], { maxBuffer: 2 ** 30 }),
      file.megabytes <= 100 ? 9 : 3,
    );
    rows.push({
      group: "drill-in",
      name: `${name} grep with ripgrep, ${file.megabytes} MB`,
      ours: ms(ours),
      other: `${ms(other)} rg -n`,
      ratio: (ours / other).toFixed(2),
      goal: "within 1.5 times of rg",
      met: ours <= other * 1.5,
    });
  }
  return rows;
}
