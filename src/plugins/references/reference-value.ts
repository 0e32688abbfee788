import type { DrillInContext } from "../../core/drill-in/context.js";
import { findIn, noteRead, toldFault } from "../../core/drill-in/find.js";
import { emit, type OffloadListener } from "../../core/types/events.js";
import type { RunningCall } from "../../core/types/running-call.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { takenAs } from "./data-parameters.js";
import type { Reference } from "./reference.js";
import { decodeText } from "../../util/text-encoding.js";
import { engineMessage, fieldsSentence } from "../../core/drill-in/diagnosis.js";
import { beginsWithSet, runJq, runsOnce } from "../../core/drill-in/run-jq.js";
import { grouped } from "../../util/amounts.js";
import { identifyJson } from "../../core/content/json/identify-json.js";
import { setPath } from "../../core/content/json/sets/set-names.js";
import { ownFieldOf } from "../../util/field-of.js";
import { placeAt, textAt, withValueAt } from "../../core/content/json/json-text.js";

interface ReferenceUse {
  readonly toolName: string;
  readonly parameter: string;
  /** Largest data, as stored or as JSON. */
  readonly maxBytes: number;
  /** For a list, records come without what surrounds them. */
  readonly expected?: ReturnType<typeof takenAs>;
  readonly refuse?: ((artifact: StoredArtifact) => string | undefined) | undefined;
}

type ReferenceValue =
  | { readonly value: unknown; readonly sizeBytes: number; readonly problem?: undefined }
  | { readonly value?: undefined; readonly sizeBytes?: undefined; readonly problem: string };

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
  return async (reference, call, use) => {
    const startedAt = performance.now();
    const { signal, sessionKey } = call;
    const { toolName, parameter, refuse } = use;
    let artifact: StoredArtifact | undefined;
    let resolved: ReferenceValue;
    try {
      const found = await findIn(context, call)(reference.output);
      if (typeof found === "string") resolved = { problem: found };
      else {
        artifact = found;
        const problem = refuse?.(found);
        resolved =
          problem === undefined
            ? await referenceValue(context, found, reference, use, signal)
            : { problem };
      }
    } catch (error) {
      signal?.throwIfAborted();
      resolved = { problem: await toldFault(context, error, artifact ? [artifact] : []) };
    }
    emit(notify, {
      type: "referenced",
      toolName,
      parameter,
      artifactId: artifact?.id,
      sessionKey,
      sizeBytes: resolved.sizeBytes ?? 0,
      failed: resolved.problem !== undefined,
      durationMs: performance.now() - startedAt,
    });
    return resolved;
  };
}

/** Not `null`, nor a list of nothing else. */
const MORE_THAN_NULL = /[^[\],\snul]|.\[/;
const NOTHING = "The filter gives nothing, or only null. The tool was not called.";

/**
 * The value that the tool returned; for `jq` the results of all records in
 * an array, or the only result where the filter sees all at once.
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
async function referenceValue(
  context: DrillInContext,
  artifact: StoredArtifact,
  { jq: given }: Reference,
  use: ReferenceUse,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  await noteRead(context, artifact);
  const { maxBytes, expected } = use;
  const { media, kind, fileName, layout, sets: [largest] = [] } = artifact;
  const isFile = kind === "binary";
  const isList = expected === "list";
  const jq = given ?? (isList && layout === "rows" ? "." : undefined);
  if (isFile && jq !== undefined) {
    return {
      problem: `${fileName} is ${media?.type ?? "not text"}: jq does not work on it. Pass all of it.`,
    };
  }
  if (jq !== undefined) return await resultsOf(context, artifact, jq, use, signal);
  // Arguments are JSON, so bytes become base64.
  const sizeBytes = isFile ? 4 * Math.ceil(artifact.sizeBytes / 3) : artifact.sizeBytes;
  if (sizeBytes > maxBytes) return { problem: tooLarge(sizeBytes, maxBytes) };
  if (isList && (kind === "json-map" || largest)) {
    const path = largest ? setPath(largest) : "<path of its map> | to_entries";
    const filter = layout === "records" ? ".value" : path;
    return {
      problem: `${fileName} is not a list. Add "jq": ${JSON.stringify(filter)}, which gives one.`,
    };
  }
  const bytes = await context.store.read(artifact);
  if (isFile) {
    const data = Buffer.from(bytes).toString("base64");
    if (expected === "text" || media === undefined) return { value: data, sizeBytes };
    const type = media.kind === "pdf" ? "file" : media.kind;
    return { value: { type, mimeType: media.type, data }, sizeBytes };
  }
  const original = originalText(artifact, bytes);
  if (expected === "text") return { value: original, sizeBytes };
  const text =
    isList && ["json-array", "json-object"].includes(kind)
      ? listOf(await onLines(original))
      : original;
  return { value: await originalValue(artifact, text), sizeBytes };
}

async function resultsOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  filter: string,
  { maxBytes, expected }: ReferenceUse,
  signal: AbortSignal | undefined,
): Promise<ReferenceValue> {
  const query = { filter, maxOutputBytes: maxBytes };
  const result = await runJq(context, artifact, query, signal);
  const { output, resultCount, error, outOfMemory, timedOut, truncated } = result;
  if (outOfMemory || timedOut)
    return { problem: "jq needed too much memory or time. Use a filter that does less." };
  if (truncated && error === undefined) return { problem: tooLarge(undefined, maxBytes) };
  const isOfSet = beginsWithSet(artifact, filter).some(({ slurp }) => !slurp);
  const isOnly = resultCount === 1 && runsOnce(artifact, query) && !isOfSet;
  const json = isOnly ? output : listOf(output);
  if (error === undefined && MORE_THAN_NULL.test(json)) {
    const isJson = expected === "text" && !json.startsWith('"');
    return { value: isJson ? json : JSON.parse(json), sizeBytes: Buffer.byteLength(output) };
  }
  const names = await fieldsSentence(context, filter, [artifact], signal);
  const said = error === undefined ? NOTHING : engineMessage(error);
  return { problem: names === undefined ? said : `${said}\n${names}` };
}

function tooLarge(sizeBytes: number | undefined, maxBytes: number): string {
  const size = sizeBytes === undefined ? "more" : grouped(sizeBytes);
  return `As an argument the data have ${size} bytes; this tool takes at most ${grouped(maxBytes)}. Select less of them with jq, or pass less.`;
}

/** Text for text and tables, else the value in JavaScript, which rounds large numbers. */
export async function originalValue(artifact: StoredArtifact, text: string): Promise<unknown> {
  const { kind, layout } = artifact;
  if (layout === "text" || layout === "rows") return text;
  if (kind !== "json-lines") return JSON.parse(text);
  return JSON.parse(listOf(layout === "document" ? await onLines(text) : text));
}

/**
 * The tool's text with its tokens as they came.
 * @param bytes - The whole file, header line included.
 */
export function originalText(artifact: StoredArtifact, bytes: Uint8Array): string {
  const { headerBytes, kind, layout } = artifact;
  const body = decodeText(bytes.subarray(headerBytes));
  if (layout !== "records" || kind === "json-lines") return body;
  const set = kind === "json-map" ? mapOf(body) : listOf(body);
  const header = decodeText(bytes.subarray(0, headerBytes));
  const envelope = placeAt(header, ["envelope"]);
  if (envelope === undefined) return set;
  const path = ownFieldOf(JSON.parse(header), "records_path");
  if (!Array.isArray(path)) throw new SyntaxError("The header is damaged.");
  return withValueAt(textAt(header, envelope), path.map(String), set);
}

function listOf(lines: string): string {
  return `[${lines.trimEnd().replaceAll("\n", ",")}]`;
}

async function onLines(json: string): Promise<string> {
  const content = await identifyJson(json);
  if (content?.layout !== "records") throw new SyntaxError("The documents are damaged.");
  return decodeText(content.body);
}

const MAP_RECORD = /^\{"key":("[^"\\]*(?:\\.[^"\\]*)*"),"value":(.*)\}$/s;

function mapOf(lines: string): string {
  const members = lines.trimEnd().split("\n");
  return `{${members.map((record) => record.replace(MAP_RECORD, "$1:$2")).join(",")}}`;
}
