import { spawnSync } from "node:child_process";

import type { DataFile } from "./side-by-side.js";
import type { BenchRow } from "./row.js";

const MEGABYTE = 1_000_000;

/** In a process of its own: what ran here before has left its garbage. */
const SCRIPT = `
const [folder, path, end] = process.argv.slice(1);
const { createJqEngine } = await import(folder + "jq/engine.ts");
const { DEFAULT_DRILL_IN_LIMITS } = await import(folder + "limits.ts");
const engine = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 120_000 });
const source = { path, start: 0, end: Number(end) };
const filter = "reduce inputs as $r (0; . + 1)";
const before = process.memoryUsage().rss;
let peak = before;
setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 10).unref();
await engine.run({ source, layout: "records", filter, maxOutputBytes: 1000 });
console.log(peak - before);
await engine.close();`;

/** Memory that a streaming jq takes, its worker and the WebAssembly included. */
export function extraMemoryRow({ path, sizeBytes, megabytes }: DataFile): BenchRow {
  const folder = new URL("../src/core/engines/", import.meta.url).href;
  const { stdout } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", SCRIPT, folder, path, String(sizeBytes)],
    { encoding: "utf8" },
  );
  const extra = Number.parseInt(stdout, 10) / MEGABYTE;
  return {
    group: "drill-in",
    name: `extra memory of a streaming jq with its worker, ${megabytes} MB`,
    ours: `${extra.toFixed(0)} MB`,
    other: "-",
    ratio: "-",
    goal: "at most 64 MB",
    met: extra <= 64,
  };
}
