import type { BenchRow } from "../harness.js";
import { CHARTS } from "./chart.js";
import { inShort } from "./in-short.js";
import { type BenchResults, markdownTable } from "./results.js";

/** Why goals of a group are missed, or why a figure is worse than a peer's: `bench/README.md` says it. */
type Reasons = ReadonlyMap<string, readonly string[]>;

/** Groups whose bench has another name. */
const BENCH_OF: Readonly<Record<string, string>> = {
  "drill-in": "engines",
  "drill-in read": "read",
  "event loop": "event-loop",
};

/** The bench that measures a group, as `npm run bench --` takes it. */
export function benchOf(group: string): string {
  return BENCH_OF[group] ?? group;
}

/** Groups that must say why: a goal is missed there, or a figure is worse than the peer's. */
export function groupsToExplain(rows: readonly BenchRow[]): readonly string[] {
  const short = rows.filter(({ met, comparison }) => met === false || comparison === "worse");
  return [...new Set(short.map(({ group }) => group))];
}

/** Items such as "- `measure`: why", with the lines that belong to them. */
export function reasonsIn(text: string): Reasons {
  const reasons = new Map<string, string[]>();
  for (const [, group = "", reason = ""] of text.matchAll(/^- `([^`]+)`: (.*(?:\n {2}.*)*)/gm)) {
    reasons.set(group, [...(reasons.get(group) ?? []), reason.replaceAll(/\n {2}/g, " ")]);
  }
  return reasons;
}

/** `docs/benchmarks.md`: what a user reads. */
export function shortPage({ machine, rows }: BenchResults, reasons: Reasons, peer: string): string {
  const explained = groupsToExplain(rows).flatMap((group) => reasons.get(group) ?? []);
  return `# Benchmarks

${inShort(rows)}

Both libraries were measured in the same run, with Node ${machine.node} on ${machine.cores} cores and ${machine.memoryGb} GB. Times depend on the machine and its load; ratios depend on them less. [deepagents](https://github.com/langchain-ai/deepagentsjs) ${peer} ran with its defaults, on the same inputs, in a real agent with a scripted model. deepagents writes an output as it is. langchain-offload also splits, counts and describes the records.

${code("npm run bench            # measures everything again", "npm run bench -- peers   # only the comparison")}

${CHARTS.map(({ name, text }) => `![${text}](benchmarks/${name}.svg)`).join("\n\n")}

## Where langchain-offload is worse or misses a goal

${list(explained)}

\`npm run docs\` builds a page with all ${rows.length} figures and their goals.

Next: [evaluation](evaluation.md), [comparison](comparison.md).
`;
}

/** `docs/all-benchmarks.md`: every figure, built with the site. */
export function allFiguresPage({ rows }: BenchResults): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const own = rows.filter((row) => row.group === group);
    return `## ${group[0]?.toUpperCase()}${group.slice(1)}

${code(`npm run bench -- ${benchOf(group)}`)}

${markdownTable(
  ["What", "Ours", "Against", "Ratio", "Goal", ""],
  own.map((row) => [row.name, row.ours, row.other, row.ratio, row.goal, goalCell(row)]),
)}`;
  });
  return `# All benchmarks

${sections.join("\n\n")}
`;
}

function goalCell({ met }: BenchRow): string {
  if (met === null) return "";
  return met ? "met" : "**missed**";
}

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

const code = (...lines: readonly string[]): string => ["```sh", ...lines, "```"].join("\n");
