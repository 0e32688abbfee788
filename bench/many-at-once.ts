import { spawnSync } from "node:child_process";

import type { BenchRow } from "./row.js";

const OUTPUTS = 1_000;
const GOAL_SECONDS = 15;
const GOAL_MEGABYTES = 400;

/** In a process of its own: what ran here before has left its garbage. */
const SCRIPT = `
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
const [core, count] = process.argv.slice(1);
const { createOffloader, fileStore } = await import(core);
const directory = mkdtempSync(join(tmpdir(), "bench-many-at-once-"));
const offloader = createOffloader({ store: fileStore({ directory }) });
const rows = Array.from({ length: 6_000 }, (_, id) => ({ id, city: ["Rome", "Oslo", "Lima"][id % 3], votes: id % 100, note: "As a search returns it. ".repeat(1 + (id % 8)) }));
const template = Buffer.from(JSON.stringify([{ output: "000000" }, ...rows]));
const textOf = (output) => {
  template.write(String(output).padStart(6, "0"), template.indexOf("output") + 9);
  return template.toString("latin1");
};
const offload = async (value, turn) => {
  const { outcome } = await offloader.offload({ toolName: "search", value, sessionId: "bench" + (turn % 100) });
  if (outcome !== "offloaded") throw new Error(outcome);
};
try {
  const texts = Array.from({ length: Number(count) }, (_, output) => textOf(output));
  await offload(textOf(999_999), 0);
  globalThis.gc();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 50);
  const used = process.cpuUsage();
  const start = performance.now();
  await Promise.all(texts.map(offload));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(used);
  peak = Math.max(peak, process.memoryUsage().rss);
  clearInterval(timer);
  const restart = performance.now();
  await Promise.all(texts.map((text, turn) => writeFile(join(directory, "plain-" + turn), text)));
  console.log(JSON.stringify([seconds, (peak - before) / 1e6, (performance.now() - restart) / 1000, (user + system) / 1e6]));
} finally {
  await offloader.close();
  rmSync(directory, { recursive: true, force: true });
}
`;

/** A thousand agents of one process whose tools return at once, against writing the same texts to files. */
export function benchManyAtOnce(): Promise<BenchRow[]> {
  const core = new URL("../dist/core.js", import.meta.url).href;
  const args = ["--expose-gc", "--input-type=module", "-e", SCRIPT, core, String(OUTPUTS)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const line = stdout.trim().split("\n").at(-1);
  if (!line) throw new Error(stderr);
  const [
    seconds = Infinity,
    megabytes = Infinity,
    plain = Infinity,
    busy = Infinity,
  ]: readonly number[] = JSON.parse(line);
  const name = `${OUTPUTS.toLocaleString("en-US")} outputs of 1 MB at once`;
  return Promise.resolve([
    {
      group: "many at once",
      name,
      ours: `${seconds.toFixed(1)} s, ${busy.toFixed(1)} of a processor`,
      other: `${plain.toFixed(1)} s fs.writeFile of each`,
      ratio: `${(seconds / plain).toFixed(1)}x`,
      goal: `at most ${GOAL_SECONDS} s`,
      met: seconds <= GOAL_SECONDS,
    },
    {
      group: "many at once",
      name: `memory on top of ${name}`,
      ours: `${megabytes.toFixed(0)} MB`,
      other: "-",
      ratio: "-",
      goal: `at most ${GOAL_MEGABYTES} MB`,
      met: megabytes <= GOAL_MEGABYTES,
    },
  ]);
}
