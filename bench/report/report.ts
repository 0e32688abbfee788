import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { svgOf } from "./chart.js";
import { chartsOf } from "./charts.js";
import { inShort } from "./in-short.js";
import { pageOf, reasonsIn } from "./page.js";
import { type BenchResults } from "./results.js";

const ROOT = new URL("../../", import.meta.url);

/** Files of the report by their path from the root; the same for the same results. */
export async function reportOf(results: BenchResults): Promise<ReadonlyMap<string, string>> {
  const charts = chartsOf(results.rows);
  const files = new Map<string, string>();
  for (const { name, spec } of charts) files.set(`docs/benchmarks/${name}.svg`, await svgOf(spec));
  const page = pageOf(results, {
    inShort: inShort(results.rows),
    charts,
    reasons: reasonsIn(textOf("bench/README.md")),
    peerVersion: versionOfPeer(),
  });
  return files.set("docs/benchmarks.md", page);
}

/** Writes the report's files, and gives their paths. */
export async function writeReport(results: BenchResults): Promise<readonly string[]> {
  mkdirSync(new URL("docs/benchmarks/", ROOT), { recursive: true });
  const files = await reportOf(results);
  for (const [path, text] of files) writeFileSync(new URL(path, ROOT), text);
  return [...files.keys()];
}

function versionOfPeer(): string {
  const manifest: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
    textOf("package.json"),
  );
  return manifest.devDependencies["deepagents"] ?? "";
}

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}
