import type { StoredArtifact } from "../../types/artifact.js";
import { setPath } from "../../content/json/sets/set-names.js";
import { isOneDocument, readAs } from "../../engines/data-source.js";
import type { DrillInContext } from "../shared/context.js";
import { afterLimit, MAX_JQ_MB } from "./variables.js";
import type { JqRequest } from "./request.js";
import { narrowToSet } from "../sets/narrow-to-set.js";
import type { DrillInToolNames } from "../../types/result.js";

const STREAMING_FORM = "reduce inputs as $r ({}; .[$r.FIELD | tostring] += 1)";
/** The part of jq's memory that one document surely fits into; its values take many times its bytes. */
const SURE_PART = 16;

/** That jq ran out of memory, why, and what to do instead. */
export function memoryFault(
  context: Pick<DrillInContext, "limits" | "names" | "calls">,
  artifact: StoredArtifact,
  request: Pick<JqRequest, "filter" | "slurp" | "others" | "call">,
): string {
  const { limits, names, calls } = context;
  const { fileName, sizeBytes } = artifact;
  const maxMb = Math.min(limits.maxMemoryMb, MAX_JQ_MB);
  const after = `jq ran out of memory (${maxMb} MB): `;
  if (request.others.length > 0) return after + afterLimit(context, "memory");
  const isNarrowed = !request.slurp && narrowToSet(artifact, request.filter) !== undefined;
  if (!isNarrowed && isOneDocument(readAs(artifact)) && sizeBytes * SURE_PART > maxMb * 1_048_576) {
    const megabytes = (sizeBytes / 1e6).toFixed(0);
    const whole = `${after}it holds a document whole, and ${fileName} has ${megabytes} MB.`;
    return whole + (oneByOne(artifact, names.sql) || insteadOf(names));
  }
  // A recipe is slurped by itself.
  const slurp = calls.has(request.call.tool, "slurp")
    ? calls.nameOf(request.call.tool, "slurp")
    : undefined;
  const what = `${(request.slurp && slurp) || "the filter"} holds ${request.slurp ? "all records" : "too much"} at once`;
  if (artifact.sets !== undefined) return `${after}${what}. Ask for less at once.`;
  const without = slurp === undefined ? "" : `, without ${slurp}`;
  return `${after}${what}. Stream instead${without}: ${STREAMING_FORM}`;
}

/** What reads a document's records without the document; empty where they are on no lines of their own. */
function oneByOne({ sets = [] }: StoredArtifact, sql: string | undefined): string {
  const [set] = sets;
  if (set?.lines === undefined) return "";
  const tables = sql === undefined ? "" : `; ${sql} has a table for each set`;
  return ` A filter that begins with ${setPath(set)}[] | reads one record after the other${tables}.`;
}

/** The tools that take every output, as a sentence after another one; empty when there are none. */
export function insteadOf({ grep, read }: DrillInToolNames): string {
  const tools = [grep, read].filter((name) => name !== undefined);
  return tools.length === 0 ? "" : ` Use ${tools.join(" or ")}.`;
}
