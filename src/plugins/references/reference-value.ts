import type { DrillInContext } from "../../core/drill-in/context.js";
import { findIn, toldFault } from "../../core/drill-in/find.js";
import { emit, type OffloadListener } from "../../core/types/events.js";
import type { RunningCall } from "../../core/types/running-call.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Reference } from "./reference.js";
import { decodeText } from "../../util/text-encoding.js";
import type { StoredMedia } from "../../core/types/media.js";
import {
  engineMessage,
  knownNames,
  namesSentence,
  stoppedAfter,
} from "../../core/drill-in/diagnosis.js";
import { isOneDocument, readAs } from "../../core/engines/data-source.js";
import { scanFilter } from "../../core/engines/jq/filter.js";
import { runJq, runsOnEach } from "../../core/drill-in/run-jq.js";
import { grouped } from "../../util/amounts.js";
import { identifyJson } from "../../core/content/json/identify-json.js";
import { ownFieldOf } from "../../util/field-of.js";
import { isOneValue } from "../../core/content/as-value.js";

interface ReferenceUse {
  readonly toolName: string;
  readonly parameter: string;
  readonly maxBytes: number;
  readonly refuse?: ((artifact: StoredArtifact) => string | undefined) | undefined;
}

type ReferenceValue =
  | {
      readonly value: unknown;
      readonly sizeBytes: number;
      /** Of a file whose base64 is `value`. */
      readonly media?: StoredMedia | undefined;
      readonly problem?: undefined;
    }
  | { readonly value?: undefined; readonly problem: string };

/** Problems are returned as a sentence. Rejects only with the reason of the call's signal when it aborts. */
export type ResolveReference = (
  reference: Reference,
  call: RunningCall,
  use: ReferenceUse,
) => Promise<ReferenceValue>;

/** @param notify - Called for every reference that was looked up; errors it throws are ignored. */
export function createResolver(
  context: DrillInContext,
  notify?: OffloadListener,
): ResolveReference {
  return async (reference, call, { toolName, parameter, maxBytes, refuse }) => {
    const startedAt = performance.now();
    const { signal, sessionKey } = call;
    let artifact: StoredArtifact | undefined;
    let resolved: ReferenceValue;
    try {
      const found = await findIn(context, call)(reference.output);
      artifact = found.storedArtifact;
      const problem = artifact === undefined ? found.problem : refuse?.(artifact);
      resolved =
        artifact === undefined || problem !== undefined
          ? { problem: problem ?? "" }
          : await referenceValue(context, artifact, reference, maxBytes, signal);
    } catch (error) {
      signal?.throwIfAborted();
      resolved = { problem: await toldFault(context, error, artifact ? [artifact] : []) };
    }
    const failed = resolved.problem !== undefined;
    const sizeBytes = resolved.problem === undefined ? resolved.sizeBytes : 0;
    const durationMs = performance.now() - startedAt;
    const of = { toolName, parameter, artifactId: artifact?.id, sessionKey };
    emit(notify, { type: "referenced", ...of, sizeBytes, failed, durationMs });
    return resolved;
  };
}

const NOTHING = "The filter gives nothing, or null alone. The tool was not called.";

/**
 * The value that the tool returned; for `lines` their text; for `jq` the results of all records in
 * an array, or the only result where the filter sees all at once.
 * @param maxBytes - Largest data, as stored or as JSON.
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
async function referenceValue(
  context: DrillInContext,
  artifact: StoredArtifact,
  { jq, lines, slurp = false }: Reference,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  const { media, kind, fileName } = artifact;
  const isFile = kind === "binary";
  if (isFile && (jq ?? lines) !== undefined) {
    return {
      problem: `${fileName} is ${media?.type ?? "no text"}, of which jq and lines give nothing. Pass all of it.`,
    };
  }
  if (lines !== undefined) return await linesOf(context, artifact, lines, maxBytes);
  if (jq !== undefined)
    return await resultsOf(context, artifact, { filter: jq, slurp }, maxBytes, signal);
  // Arguments are JSON, so bytes become base64.
  const sizeBytes = isFile ? 4 * Math.ceil(artifact.sizeBytes / 3) : artifact.sizeBytes;
  if (sizeBytes > maxBytes) return { problem: tooLarge(sizeBytes, maxBytes) };
  const bytes = await context.store.read(artifact);
  if (!isFile) return { value: await originalValue(artifact, bytes), sizeBytes };
  return { value: Buffer.from(bytes).toString("base64"), sizeBytes, media };
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
  return { value: decodeText(bytes), sizeBytes: bytes.length };
}

async function resultsOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  { filter, ...given }: { readonly filter: string; readonly slurp: boolean },
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  // A document with several record sets is one value, whose parts have their own paths.
  const slurp = given.slurp && artifact.sets === undefined;
  const isAll = slurp || isOneDocument(readAs(artifact)) || scanFilter(filter).usesInputs;
  const query = { filter, slurp, maxOutputBytes: maxBytes };
  const result = await runJq(context, artifact, query, signal);
  const { output, resultCount, error, outOfMemory, timedOut, truncated } = result;
  if (outOfMemory)
    return { problem: "jq ran out of memory. Use a filter that holds less at once." };
  if (timedOut) {
    const after = stoppedAfter(context.limits);
    return { problem: `jq was stopped after ${after}. Use a filter that does less.` };
  }
  if (truncated && error === undefined) return { problem: tooLarge(undefined, maxBytes) };
  const results = error === undefined ? parseLines(output) : [];
  const isOnly = isAll && resultCount === 1 && !runsOnEach(artifact, filter);
  const value = isOnly ? results[0] : results;
  if (error === undefined && [value].flat().some((one) => one !== null))
    return { value, sizeBytes: Buffer.byteLength(output) };
  const names = namesSentence(filter, await knownNames(context, [artifact], signal));
  const said = error === undefined ? NOTHING : engineMessage(error);
  return { problem: names === undefined ? said : `${said}\n${names}` };
}

function tooLarge(sizeBytes: number | undefined, maxBytes: number): string {
  const size = sizeBytes === undefined ? "more" : grouped(sizeBytes);
  return `As an argument the data have ${size} bytes; this tool takes at most ${grouped(maxBytes)}. Select less of them with jq, or pass less.`;
}

/**
 * Text for text and tables, else the JSON value with the document around its records. Large numbers
 * are rounded as in JavaScript.
 * @param bytes - The whole file, header line included.
 * @throws SyntaxError when the bytes are not what was stored.
 */
export async function originalValue(artifact: StoredArtifact, bytes: Uint8Array): Promise<unknown> {
  const { headerBytes, kind, layout } = artifact;
  const json = decodeText(bytes.subarray(headerBytes));
  if (layout === "text" || layout === "rows") return json;
  if (isOneValue(artifact)) return JSON.parse(json);
  const records = parseLines(layout === "document" ? await onLines(json) : json);
  if (kind === "json-lines" || headerBytes === 0) return records;
  const header: unknown = JSON.parse(decodeText(bytes.subarray(0, headerBytes)));
  const set = kind === "json-map" ? mapOf(records) : records;
  return putInto(ownFieldOf(header, "envelope"), ownFieldOf(header, "records_path"), set);
}

function parseLines(lines: string): readonly unknown[] {
  const records: readonly unknown[] = JSON.parse(`[${lines.trimEnd().replaceAll("\n", ",")}]`);
  return records;
}

async function onLines(json: string): Promise<string> {
  const content = await identifyJson(json);
  if (content?.layout !== "records") throw new SyntaxError("The documents are damaged.");
  return decodeText(content.body);
}

function mapOf(records: readonly unknown[]): object {
  return Object.fromEntries(
    records.map((record) => [ownFieldOf(record, "key"), ownFieldOf(record, "value")]),
  );
}

function putInto(envelope: unknown, path: unknown, set: unknown): unknown {
  if (envelope === undefined || !Array.isArray(path) || path.length === 0) return set;
  const keys = path.map(String);
  let place: unknown = envelope;
  for (const key of keys.slice(0, -1)) place = ownFieldOf(place, key);
  if (typeof place !== "object" || place === null) throw new SyntaxError("The header is damaged.");
  // Like `JSON.parse`, defines the property, so that `__proto__` is an ordinary key.
  const own = { value: set, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(place, keys.at(-1) ?? "", own);
  return envelope;
}
