import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInContext } from "../shared/context.js";
import { megabytes, type NamedOutput } from "../shared/named-outputs.js";

/** What jq's memory never exceeds, whatever the limit is. */
export const MAX_JQ_MB = 256;
/** Parsed records take up to this many times their bytes; denser ones run out of memory in the run. */
const GROWTH = 16;
const BYTES_PER_MB = 1024 * 1024;
/** Looks records up instead of searching them once more for each. */
const LOOKUP_FORM = "INDEX($b[]; .KEY) as $of | inputs | . + $of[.KEY | tostring]";

/**
 * Why outputs cannot be variables of a filter, in one sentence; `undefined` when they can. Together they may
 * have a sixteenth of jq's memory.
 */
export function refuseVariables(
  { names, limits, calls }: Pick<DrillInContext, "names" | "limits" | "calls">,
  others: readonly NamedOutput[],
): string | undefined {
  const bytes = others.reduce((sum, { artifact }) => sum + bodyBytes(artifact), 0);
  const maxBytes = (Math.min(limits.maxMemoryMb, MAX_JQ_MB) * BYTES_PER_MB) / GROWTH;
  if (bytes <= maxBytes) return undefined;
  return (
    `The further outputs have ${megabytes(bytes)} together; jq holds them in memory, ${megabytes(maxBytes)} at most. ` +
    `Pass the largest one as ${calls.nameOf("jq", "id")}, which is streamed${orSql(names.sql)}.`
  );
}

/** What to do when a run with such variables has passed a limit. */
export function afterLimit(
  { names, calls }: Pick<DrillInContext, "names" | "calls">,
  limit: "memory" | "time",
): string {
  if (limit === "time")
    return `Look records up instead of searching for each: ${LOOKUP_FORM}${orSql(names.sql)}.`;
  const unslurped = calls.has("jq", "slurp") ? `, without ${calls.nameOf("jq", "slurp")}` : "";
  return (
    "the further outputs are held in memory. " +
    `Pass the largest one as ${calls.nameOf("jq", "id")}${unslurped}${orSql(names.sql)}.`
  );
}

function bodyBytes({ sizeBytes, headerBytes }: StoredArtifact): number {
  return sizeBytes - headerBytes;
}

/** The other tool for joins and sums, as the end of a sentence. */
export function orSql(sql: string | undefined): string {
  return sql === undefined ? "" : `, or use ${sql}`;
}

/** Whether SQL has its records, or lines. */
export function isTable({ layout, sets }: StoredArtifact): boolean {
  return layout !== "document" || sets !== undefined;
}
