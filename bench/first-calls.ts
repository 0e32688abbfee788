import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { manyRecords } from "./jq-records.js";
import type { BenchRow } from "./row.js";
import { ms } from "./side-by-side.js";

const GROUP = "first call";
const RUNS = 9;

interface Call {
  readonly name: string;
  readonly goalMs: number;
  readonly tool: string;
  readonly args: object;
}

const CALLS: readonly Call[] = [
  { name: "jq, first record", goalMs: 100, tool: "jq", args: { filter: "first(inputs).id" } },
  { name: "grep, one hit at the end", goalMs: 40, tool: "grep", args: { pattern: "mem-170999" } },
  {
    name: "SQL, group by",
    goalMs: 400,
    tool: "sql",
    args: { query: "SELECT namespace, count(*) AS n FROM output GROUP BY namespace ORDER BY n" },
  },
];

/** One call in a process of its own, a second after its first output; prints how long it took, and the same call again. */
const SCRIPT = `
const [folder, records, directory, tool, args] = process.argv.slice(1);
const { createOffloader, fileStore } = await import(folder + "core.js");
const { readFileSync } = await import("node:fs");
const offloader = createOffloader({ store: fileStore({ directory }) });
const value = readFileSync(records, "utf8");
const { storedArtifact } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
await new Promise((resolve) => setTimeout(resolve, 1000));
const times = [];
for (let n = 0; n < 2; n += 1) {
  const from = performance.now();
  const call = { id: storedArtifact.id, ...JSON.parse(args) };
  const { failed, text } = await offloader.drillIn[tool](call, storedArtifact);
  times.push(performance.now() - from);
  if (failed) throw new Error(text);
}
console.log(JSON.stringify(times));
await offloader.close();`;

/** What the first drill-in of a process takes beside the ones that follow. */
export async function benchFirstCalls(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-first-calls-"));
  try {
    const records = join(folder, "records.jsonl");
    await writeFile(records, manyRecords().join("\n"));
    return CALLS.map((call) => rowOf(call, records, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function rowOf({ name, goalMs, tool, args }: Call, records: string, folder: string): BenchRow {
  const built = new URL("../dist/", import.meta.url).href;
  const runs = Array.from({ length: RUNS }, (_, n): [first: number, again: number] => {
    const given = [built, records, join(folder, `${tool}-${n}`), tool, JSON.stringify(args)];
    const options = ["--input-type=module", "-e", SCRIPT, ...given];
    const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8" });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  });
  const ours = median(runs.map(([first]) => first));
  const again = median(runs.map(([, second]) => second));
  return {
    group: GROUP,
    name: `${name}, 17 MB, a second after the first output`,
    ours: ms(ours),
    other: `${ms(again)} the same again`,
    ratio: (ours / again).toFixed(2),
    goal: `at most ${goalMs} ms`,
    met: ours <= goalMs,
  };
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}
