import { decodeText } from "../../util/text-encoding.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { StoredMedia } from "../../core/types/media.js";
import type { DrillInContext } from "../../core/drill-in/context.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import { stoppedAfter } from "../../core/drill-in/diagnosis.js";
import { isOneDocument, readAs } from "../../core/engines/data-source.js";
import { bindParams, recipeList } from "../../core/describe/recipes/bind-params.js";
import { scanFilter } from "../../core/engines/jq/filter.js";
import { engineMessage, knownNames, namesSentence } from "../../core/drill-in/diagnosis.js";
import type { JqResult } from "../../core/engines/jq/job.js";
import { narrowToSet, runsOnEach } from "../../core/drill-in/sets.js";
import { originalValue } from "./original-value.js";
import type { Reference } from "./reference.js";
import { grouped } from "../../util/amounts.js";

/** The data that a reference stands for, or the sentence that says why there are none. */
export type ReferenceValue =
  | {
      readonly value: unknown;
      readonly sizeBytes: number;
      /** What a file is whose base64 the value is. */
      readonly media?: StoredMedia | undefined;
      readonly problem?: undefined;
    }
  | { readonly value?: undefined; readonly problem: string };

const NOTHING = "The filter gives nothing, or null alone. The tool was not called.";

/** A jq run over a stored output. */
interface Selection {
  readonly filter: string;
  readonly slurp: boolean;
  /** Whether one run of the filter gets all there is, so that a single result stands for itself. */
  readonly seesAll: boolean;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * What a reference stands for: the value that the tool returned; for `lines` their text; for `jq` and
 * `recipe` the results of all records in an array, or, where the filter sees all at once, its only result.
 *
 * @param maxBytes - Largest data, as stored or as JSON.
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function referenceValue(
  context: DrillInContext,
  artifact: StoredArtifact,
  reference: Reference,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  const { jq, recipe, lines } = reference;
  if (isFile(artifact)) return await fileOf(context, artifact, reference, maxBytes);
  if (lines !== undefined) return await linesOf(context, artifact, lines, maxBytes);
  if (jq !== undefined) {
    const { params: variables } = reference;
    // A document with several sets is one value, whose parts have their own paths.
    const slurp = reference.slurp && artifact.sets === undefined;
    const seesAll = slurp || isOneDocument(readAs(artifact)) || scanFilter(jq).usesInputs;
    const selection = {
      filter: jq,
      slurp,
      seesAll: seesAll && !runsOnEach(artifact, jq),
      variables,
    };
    return await resultsOf(context, artifact, selection, maxBytes, signal);
  }
  if (recipe !== undefined) {
    const known = artifact.recipes[recipe - 1];
    if (known === undefined) {
      return {
        problem: `There is no recipe ${recipe}. Recipes: ${recipeList(artifact) || "none"}`,
      };
    }
    const { variables, problem } = bindParams(known, recipe, reference.params);
    if (variables === undefined) return { problem };
    const isWhole = known.slurp || artifact.sets !== undefined;
    const seesAll = isWhole && !runsOnEach(artifact, known.filter);
    const selection = { ...known, seesAll, variables };
    return await resultsOf(context, artifact, selection, maxBytes, signal);
  }
  const { sizeBytes } = artifact;
  if (sizeBytes > maxBytes) return { problem: tooLarge(sizeBytes, maxBytes) };
  return { value: await originalValue(artifact, await context.store.read(artifact)), sizeBytes };
}

/** Whether an output is an image or another file that is no text. */
function isFile({ media, kind }: StoredArtifact): boolean {
  return media !== undefined && kind === "binary";
}

/** A file as base64: JSON, of which arguments are made, has no bytes. */
async function fileOf(
  { store }: DrillInContext,
  artifact: StoredArtifact,
  { jq, recipe, lines }: Reference,
  maxBytes: number,
): Promise<ReferenceValue> {
  if (jq !== undefined || recipe !== undefined || lines !== undefined) {
    const what = artifact.media?.type ?? "a file";
    return {
      problem: `${artifact.fileName} is ${what}, of which jq, lines and recipe give nothing. Pass all of it.`,
    };
  }
  const sizeBytes = 4 * Math.ceil(artifact.sizeBytes / 3);
  if (sizeBytes > maxBytes) {
    return {
      problem: `The file has ${grouped(sizeBytes)} bytes in base64; this tool takes at most ${grouped(maxBytes)}.`,
    };
  }
  const bytes = await store.read(artifact);
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { value: base64, sizeBytes, media: artifact.media };
}

async function linesOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  [first, last]: readonly [number, number],
  maxBytes: number,
): Promise<ReferenceValue> {
  const index = context.indexOf(artifact);
  const start = await index.lineStart(first);
  if (start === undefined) {
    return { problem: `${artifact.fileName} has ${artifact.lineCount} lines, no line ${first}.` };
  }
  const end = (await index.lineStart(last + 1)) ?? artifact.sizeBytes;
  if (end - start > maxBytes) return { problem: tooLarge(end - start, maxBytes) };
  const bytes = await context.store.read(artifact, { start, end });
  return { value: decodeText(bytes, artifact.encoding), sizeBytes: bytes.length };
}

async function resultsOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  { filter, slurp, seesAll, variables }: Selection,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  const result = await context.spool.with(artifact, signal, (source) =>
    context.jq().run(
      {
        source,
        ...readAs(artifact),
        ...((slurp ? undefined : narrowToSet(artifact, filter)) ?? { filter, slurp }),
        compact: true,
        args: variables,
        maxOutputBytes: maxBytes,
      },
      signal,
    ),
  );
  const { output, resultCount, error } = result;
  const problem = problemOf(result, context.limits, maxBytes);
  if (problem !== undefined && error === undefined) return { problem };
  const results: readonly unknown[] =
    problem === undefined ? JSON.parse(`[${output.trimEnd().replaceAll("\n", ",")}]`) : [];
  const value = seesAll && resultCount === 1 ? results[0] : results;
  if (problem === undefined && !isNothing(value)) {
    return { value, sizeBytes: Buffer.byteLength(output) };
  }
  // A tool that is given nothing may say that it has done something with it.
  const names = namesSentence(filter, await knownNames(context, [artifact], signal));
  const said = problem === undefined ? NOTHING : engineMessage(problem);
  return { problem: [said, ...(names === undefined ? [] : [names])].join("\n") };
}

/** Whether a value has nothing in it, or `null` alone. */
function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every((one) => one === null));
}

/** Part of the results would pass for all of them, so it is nothing. */
function problemOf(result: JqResult, limits: DrillInLimits, maxBytes: number): string | undefined {
  const { error, outOfMemory, timedOut, truncated } = result;
  if (outOfMemory) return "jq ran out of memory. Use a filter that holds less at once.";
  if (timedOut) return `jq was stopped after ${stoppedAfter(limits)}. Use a filter that does less.`;
  if (error !== undefined) return error;
  return truncated ? tooLarge(undefined, maxBytes) : undefined;
}

function tooLarge(sizeBytes: number | undefined, maxBytes: number): string {
  const size = sizeBytes === undefined ? "more" : grouped(sizeBytes);
  return `The data have ${size} bytes; this tool takes at most ${grouped(maxBytes)}. Pass less: select with jq.`;
}
