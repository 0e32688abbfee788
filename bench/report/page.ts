import type { BenchRow } from "../harness.js";
import type { Chart } from "./charts.js";
import { type BenchResults, markdownTable } from "./results.js";

/** What the page is made of beside the results. */
export interface PageParts {
  /** What stands at the top, a line each. */
  readonly inShort: readonly string[];
  readonly charts: readonly Chart[];
  /** Why goals of a group are missed, or why a figure is worse than a peer's: `bench/README.md` says it. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
  readonly peerVersion: string;
}

/** Groups whose bench has another name. */
const BENCH_OF: Readonly<Record<string, string>> = {
  "drill-in": "engines",
  "drill-in read": "read",
  "event loop": "event-loop",
};
const PEERS = "peers";

/** The bench that measures a group, as `npm run bench --` takes it. */
export function benchOf(group: string): string {
  return BENCH_OF[group] ?? group;
}

/** Groups that must say why: a goal is missed there, or a figure is worse than the peer's. */
export function groupsToExplain(rows: readonly BenchRow[]): readonly string[] {
  const short = rows.filter(({ met, verdict }) => met === false || verdict === "worse");
  return [...new Set(short.map(({ group }) => group))];
}

/** Items such as "- `measure`: why", with the lines that belong to them. */
export function reasonsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>();
  for (const [, group = "", reason = ""] of text.matchAll(/^- `([^`]+)`: (.*(?:\n {2}.*)*)/gm)) {
    reasons.set(group, [...(reasons.get(group) ?? []), reason.replaceAll(/\n {2}/g, " ")]);
  }
  return reasons;
}

/** `docs/benchmarks.md`. */
export function pageOf({ machine, rows }: BenchResults, parts: PageParts): string {
  const groups = [...new Set(rows.map(({ group }) => group))].filter((group) => group !== PEERS);
  const sections = [
    "# Benchmarks",
    parts.inShort.map((line) => `- ${line}`).join("\n"),
    `Measured with Node ${machine.node} on ${machine.cores} cores and ${machine.memoryGb} GB. Each row compares two things in the same run. Times depend on the machine and on its load; ratios do so less.`,
    ...picturesOf("goals", parts),
    "Every figure that was measured, the good ones and the others, is below. The page is made from `bench/results.json`:",
    code(
      "npm run bench          # measures everything again, a few minutes",
      "npm run bench:report   # makes this page and its pictures",
    ),
    ...peersSection(rows, parts),
    ...groups.flatMap((group) => groupSection(group, rows, parts)),
  ];
  return `${sections.join("\n\n")}\n`;
}

function peersSection(rows: readonly BenchRow[], parts: PageParts): readonly string[] {
  const own = rows.filter(({ group }) => group === PEERS);
  return [
    "## Against deepagents",
    code("npm run bench -- peers"),
    `The same inputs through \`offloadMiddleware()\` and through the file system middleware of \`deepagents\` ${parts.peerVersion}, each with its defaults and its store of files, in a real agent without a model. Tokens are those of o200k_base. Their limit is 20,000 tokens, ours 1,600.`,
    ...picturesOf(PEERS, parts),
    markdownTable(
      ["What", "Ours", "deepagents", "Ours is"],
      own.map((row) => [
        row.name,
        row.ours,
        row.other.replace(", deepagents", ""),
        verdictCell(row),
      ]),
    ),
    ...reasonsOf(PEERS, "Where ours is worse, and why:", rows, parts),
  ];
}

function verdictCell({ ratio, verdict }: BenchRow): string {
  return verdict === "worse" ? ratio.replace("worse", "**worse**") : ratio;
}

function groupSection(
  group: string,
  rows: readonly BenchRow[],
  parts: PageParts,
): readonly string[] {
  const own = rows.filter((row) => row.group === group);
  return [
    `## ${group[0]?.toUpperCase()}${group.slice(1)}`,
    code(`npm run bench -- ${benchOf(group)}`),
    ...picturesOf(group, parts),
    markdownTable(
      ["What", "Ours", "Against", "Ratio", "Goal", ""],
      own.map((row) => [row.name, row.ours, row.other, row.ratio, row.goal, goalCell(row)]),
    ),
    ...reasonsOf(group, "Missed, and why:", rows, parts),
  ];
}

function goalCell({ met }: BenchRow): string {
  if (met === null) return "";
  return met ? "met" : "**missed**";
}

function reasonsOf(
  group: string,
  title: string,
  rows: readonly BenchRow[],
  { reasons }: PageParts,
): readonly string[] {
  if (!groupsToExplain(rows).includes(group)) return [];
  const own = reasons.get(group) ?? ["The reason is not written down yet."];
  return [title, own.map((reason) => `- ${reason}`).join("\n")];
}

function picturesOf(group: string, { charts }: PageParts): readonly string[] {
  return charts
    .filter((chart) => chart.group === group)
    .map(({ name, text }) => `![${text}](benchmarks/${name}.svg)`);
}

function code(...lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}
