import type { DirectoryListing } from "../../store/file/directory.js";
import type { StoredArtifact } from "../../types.js";
import type { Command } from "../command.js";
import { DIRECTORY_OPTIONS, directoryOf } from "../directory.js";
import { jsonLine } from "../print/json-line.js";
import { listOutputs } from "../list.js";
import { printableLine } from "../print/printable.js";
import { type Paint, paintFor } from "../print/style.js";
import { type Column, pairs, table } from "../print/table.js";
import { bytes, date, grouped } from "../print/units.js";

interface Totals {
  outputs: number;
  sizeBytes: number;
  /** What the outputs would have cost inline. */
  tokens: number;
}

const COLUMNS: readonly Column[] = [
  { title: "TOOL" },
  { title: "OUTPUTS", align: "right" },
  { title: "SIZE", align: "right" },
  { title: "TOKENS", align: "right" },
];
/** Lines of the table; the others are one line together. */
const MAX_TOOLS = 20;

/** `stats`: what a directory holds. */
export const stats: Command = {
  help: `Usage: langchain-offload stats [options]

Counts the stored outputs of a directory: how many, their size, the tokens that
they would have cost inline, of how many sessions, and by tool. \`expired\` waits
for \`langchain-offload clean\`; \`unreadable\` is not yours, or was changed.

Options:
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object
  -h, --help       print this help

Exit codes: 0 done, also when there are none; 2 wrong usage, or the directory
cannot be read.
`,
  options: DIRECTORY_OPTIONS,
  operands: [],
  async run(given, surroundings) {
    const directory = await directoryOf(given, surroundings);
    const listing = await listOutputs(directory, surroundings);
    const { out } = surroundings;
    await out.write(
      given.flag("json")
        ? asJson(directory, listing)
        : asTables(directory, listing, paintFor(out, surroundings)),
    );
    return 0;
  },
};

function asJson(directory: string, { artifacts, expired, unreadable }: DirectoryListing): string {
  const { outputs, sizeBytes, tokens } = totalsOf(artifacts);
  return jsonLine({
    directory,
    outputs,
    size_bytes: sizeBytes,
    tokens,
    sessions: sessionsOf(artifacts),
    oldest_at: timeOf(artifacts[0]),
    newest_at: timeOf(artifacts.at(-1)),
    expired: expired.length,
    expired_bytes: totalsOf(expired).sizeBytes,
    unreadable,
    tools: byTool(artifacts).map(([tool, totals]) => ({
      tool,
      outputs: totals.outputs,
      size_bytes: totals.sizeBytes,
      tokens: totals.tokens,
    })),
  });
}

function asTables(
  directory: string,
  { artifacts, expired, unreadable }: DirectoryListing,
  paint: Paint,
): string {
  const all = totalsOf(artifacts);
  const tools = byTool(artifacts);
  const rows = tools.slice(0, MAX_TOOLS).map(([tool, totals]) => rowOf(tool, totals));
  const others = tools.slice(MAX_TOOLS).map(([, totals]) => totals);
  if (others.length > 0) rows.push(rowOf(`(${others.length} others)`, sumOf(others)));
  const summary = pairs([
    ["directory", printableLine(directory)],
    ["outputs", grouped(all.outputs)],
    ["size", bytes(all.sizeBytes)],
    ["tokens", grouped(all.tokens)],
    ["sessions", grouped(sessionsOf(artifacts))],
    ["oldest", timeOf(artifacts[0]) ?? "-"],
    ["newest", timeOf(artifacts.at(-1)) ?? "-"],
    ["expired", `${grouped(expired.length)}, ${bytes(totalsOf(expired).sizeBytes)}`],
    ["unreadable", grouped(unreadable)],
  ]);
  return rows.length === 0 ? summary : `${summary}\n${table(COLUMNS, rows, paint)}`;
}

function rowOf(tool: string, { outputs, sizeBytes, tokens }: Totals): readonly string[] {
  return [tool, grouped(outputs), bytes(sizeBytes), grouped(tokens)];
}

/** Largest first. */
function byTool(artifacts: readonly StoredArtifact[]): [string, Totals][] {
  const tools = new Map<string, Totals>();
  for (const artifact of artifacts) {
    const { toolName } = artifact;
    tools.set(toolName, sumOf([tools.get(toolName) ?? totalsOf([]), totalsOf([artifact])]));
  }
  return [...tools].toSorted(([, one], [, other]) => other.sizeBytes - one.sizeBytes);
}

function totalsOf(artifacts: readonly StoredArtifact[]): Totals {
  return sumOf(artifacts.map(({ sizeBytes, tokens }) => ({ outputs: 1, sizeBytes, tokens })));
}

function sumOf(totals: readonly Totals[]): Totals {
  const sum = { outputs: 0, sizeBytes: 0, tokens: 0 };
  for (const { outputs, sizeBytes, tokens } of totals) {
    sum.outputs += outputs;
    sum.sizeBytes += sizeBytes;
    sum.tokens += tokens;
  }
  return sum;
}

function sessionsOf(artifacts: readonly StoredArtifact[]): number {
  return new Set(artifacts.map(({ scope }) => scope)).size;
}

function timeOf(artifact: StoredArtifact | undefined): string | undefined {
  return artifact && date(artifact.createdAt);
}
