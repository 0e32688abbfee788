import type { StoredArtifact } from "../../../types/artifact.js";
import { shorten } from "../../../util/safe-text.js";
import { readAs } from "../../engine/data-source.js";
import { narrowToSet } from "../../sets/narrow-to-set.js";
import type { DrillInContext } from "../../shared/context.js";
import { scanFilter } from "../filter.js";
import type { JqResult } from "../job.js";
import type { JqRequest } from "../request.js";
import { seesWhole } from "./look.js";
import { pathsOf } from "./filter-paths.js";
import { keysIn, ROOT } from "./places.js";
import { grouped } from "../../../util/amounts.js";

/** What a filter runs on, one after the other. */
interface Inputs {
  readonly noun: "line" | "record";
  readonly count: number | undefined;
}

const MAX_QUOTED_CHARACTERS = 200;
const MAX_QUOTED_BYTES = 64 * 1024;
const MAX_LOOK_MS = 2000;
/** Of a record, the fields that the filter names. */
const QUOTE =
  'if type == "object" then with_entries(select(.key | IN($names[]))) | select(length > 0) else . end';

/**
 * On how many inputs a filter has failed, and what the first of them is; `undefined` where it runs on one only.
 *
 * @throws What the store throws, and the signal's reason when it aborts.
 */
export async function failedInputs(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  result: JqResult,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const inputs = inputsOf(artifact, request);
  const { errorCount = 0, errorLine } = result;
  if (inputs === undefined || errorCount === 0 || errorLine === undefined) return undefined;
  const { noun, count } = inputs;
  const first = await inputAt(context, artifact, request, errorLine, signal);
  const quoted = first === undefined ? "." : `: ${shorten(first, MAX_QUOTED_CHARACTERS)}`;
  const place = `${noun} ${grouped(errorLine)}${quoted}`;
  const isCounted = !result.truncated && !result.timedOut && count !== undefined;
  if (!isCounted || errorCount > count) return `It fails on ${place}`;
  return errorCount === count
    ? `It fails on all ${grouped(count)} ${noun}s, such as ${place}`
    : `It fails on ${grouped(errorCount)} of ${grouped(count)} ${noun}s, first on ${place}`;
}

/** `undefined` for a filter that runs once, over all or over a document. */
function inputsOf(artifact: StoredArtifact, { filter, slurp }: JqRequest): Inputs | undefined {
  if (slurp || scanFilter(filter).seesOthers || seesWhole(artifact, { filter })) return undefined;
  const { layout, recordCount, lineCount, sets = [] } = artifact;
  if (layout === "text") return { noun: "line", count: lineCount };
  const narrowed = narrowToSet(artifact, filter);
  if (narrowed !== undefined) {
    if (narrowed.slurp) return undefined;
    const { start } = narrowed.set;
    return { noun: "record", count: sets.find(({ lines }) => lines?.start === start)?.count };
  }
  // JSON lines as they came may be several values on a line.
  return layout === "document" ? undefined : { noun: "record", count: recordCount };
}

async function inputAt(
  context: DrillInContext,
  artifact: StoredArtifact,
  { filter }: JqRequest,
  line: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const narrowed = narrowToSet(artifact, filter);
  const { paths } = pathsOf(narrowed?.filter ?? filter, ROOT);
  const names = paths.map(({ steps }) => keysIn(steps)[0]);
  const result = await context.spool.with(artifact, signal, (source) =>
    context.jq().run(
      {
        source,
        ...readAs(artifact),
        ...(narrowed && { set: narrowed.set }),
        filter: `nth(${line - 1}; inputs) | ${QUOTE}`,
        nullInput: true,
        args: { names },
        compact: true,
        maxOutputBytes: MAX_QUOTED_BYTES,
        timeoutMs: Math.min(MAX_LOOK_MS, context.limits.timeoutMs),
      },
      signal,
    ),
  );
  return result.resultCount === 1 && result.error === undefined ? result.output : undefined;
}
