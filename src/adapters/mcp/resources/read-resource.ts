import type { DrillInContext } from "../../../core/drill-in/shared/context.js";
import { isUtf8 } from "node:buffer";

import { MAX_CHARACTERS_PER_TOKEN } from "../../../core/measure/size-limit.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { grouped } from "../../../util/amounts.js";
import { wholeCharactersEnd } from "../../../util/safe-text.js";
import { decodeText, encodeText, unfinishedBytes } from "../../../util/text-encoding.js";
import { mediaTypeOf } from "./describe-resource.js";
import { type ResourceAddress, resourceUri } from "./resource-uri.js";

/** Kept free for what says where the next part is, in tokens. */
const NOTE_TOKENS = 120;
/** Bytes that stand for three in base64. */
const BASE64_UNIT = 4;

/** One of the contents of a resource: text, or base64 where the bytes are no text. */
interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

/** What was read, or the sentence that says why nothing was. */
export type ResourceReading =
  | { readonly contents: readonly ResourceContent[]; readonly problem?: undefined }
  | { readonly problem: string };

type Reader = Pick<DrillInContext, "store" | "measure" | "indexOf">;

/** What is asked for. */
interface ReadRequest extends Pick<ResourceAddress, "places"> {
  /** As it was asked for. */
  readonly uri: string;
  /** The most that the contents may have, where a character and what says how to go on need no more. */
  readonly maxTokens: number;
  /** Largest file that is given whole, in bytes, where all of it is asked for: a part of an image shows nothing. */
  readonly maxFileBytes?: number | undefined;
}

/**
 * Reads the part of a stored output that an address names, as it is stored, byte for byte. What is more than may be
 * read at once ends at a line's end if it can, and a second content says where to read on: those addresses, followed
 * to the last, give the whole part.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function readResource(
  reader: Reader,
  artifact: StoredArtifact,
  { uri, places, maxTokens, maxFileBytes = 0 }: ReadRequest,
): Promise<ResourceReading> {
  const { id, sizeBytes, encoding } = artifact;
  const isFile = artifact.media !== undefined && artifact.kind === "binary";
  if (isFile && sizeBytes <= maxFileBytes && Object.keys(places).length === 0) {
    const bytes = await reader.store.read(artifact);
    const blob = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
    return { contents: [{ uri, mimeType: mediaTypeOf(artifact), blob }] };
  }
  const range = await rangeOf(reader, artifact, places);
  if ("problem" in range) return range;
  const { start, end } = range;
  const reach = Math.min(end, start + maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const given =
    start === reach ? new Uint8Array() : await reader.store.read(artifact, { start, end: reach });
  const isWhole = reach === end;
  const bytes = isWhole
    ? given
    : given.subarray(0, given.length - unfinishedBytes(given, encoding));
  const { content, byteLength } = await fitted(reader.measure, bytes, {
    text: textOf(bytes, encoding),
    isWhole,
    maxTokens,
  });
  const next = start + byteLength;
  const contents = [{ uri, mimeType: mediaTypeOf(artifact), ...content }];
  if (next >= end) return { contents };
  const nextUri = resourceUri(id, next, end < sizeBytes ? end : undefined);
  const text = `Bytes ${grouped(start)} to ${grouped(next)} of ${grouped(sizeBytes)} are above. Read on at ${nextUri}`;
  return { contents: [...contents, { uri: nextUri, mimeType: "text/plain", text }] };
}

/** The text whose bytes these are; `undefined` when they are no text. */
function textOf(bytes: Uint8Array, encoding: StoredArtifact["encoding"]): string | undefined {
  if (encoding === "latin1" || (encoding === "utf-8" && !isUtf8(bytes))) return undefined;
  const text = decodeText(bytes, encoding);
  const isSame = encoding === "utf-8" || Buffer.compare(encodeText(text).bytes, bytes) === 0;
  return isSame ? text : undefined;
}

async function rangeOf(
  { indexOf }: Reader,
  artifact: StoredArtifact,
  places: ResourceAddress["places"],
): Promise<{ readonly start: number; readonly end: number } | { readonly problem: string }> {
  const { sizeBytes, lineCount } = artifact;
  const { start_line: firstLine = 1, end_line: lastLine, start_byte = 0, end_byte } = places;
  const isByLine = places.start_line !== undefined || lastLine !== undefined;
  const [first, last] = isByLine ? [firstLine, lastLine] : [start_byte, end_byte];
  if (isByLine && (firstLine === 0 || lastLine === 0)) {
    return { problem: "Lines are counted from 1." };
  }
  if (last !== undefined && last < first) {
    return { problem: "The end of the part is before its start." };
  }
  const size = isByLine ? `${grouped(lineCount)} lines` : `${grouped(sizeBytes)} bytes`;
  const past = { problem: `The part starts past the end: the output has ${size}.` };
  if (!isByLine) {
    return start_byte > sizeBytes
      ? past
      : { start: start_byte, end: Math.min(end_byte ?? sizeBytes, sizeBytes) };
  }
  const index = indexOf(artifact);
  const start = firstLine === 1 ? 0 : await index.lineStart(firstLine);
  if (start === undefined) return past;
  const end = lastLine === undefined ? undefined : await index.lineStart(lastLine + 1);
  return { start, end: end ?? sizeBytes };
}

/** As much of the bytes as may be read at once, as text or in base64. */
async function fitted(
  measure: Reader["measure"],
  bytes: Uint8Array,
  {
    text,
    isWhole,
    maxTokens,
  }: { readonly text: string | undefined; readonly isWhole: boolean; readonly maxTokens: number },
): Promise<{
  readonly content: { readonly text: string } | { readonly blob: string };
  readonly byteLength: number;
}> {
  const shown = text ?? Buffer.from(bytes).toString("base64");
  const contentOf = (part: string) => (text === undefined ? { blob: part } : { text: part });
  if (isWhole && (await measure.count(shown)).tokens <= maxTokens) {
    return { content: contentOf(shown), byteLength: bytes.length };
  }
  const room = Math.max(maxTokens - NOTE_TOKENS, maxTokens >> 1);
  const fits = await measure.fit(shown, room);
  const part = shown.slice(0, text === undefined ? wholeUnits(fits) : wholeLines(shown, fits));
  const held = text === undefined ? Buffer.from(part, "base64") : encodeText(part).bytes;
  return { content: contentOf(part), byteLength: held.length };
}

/** Length of whole lines, or of whole characters where no line ends; at least one of them. */
function wholeLines(text: string, fits: number): number {
  const lineEnd = fits === 0 ? 0 : text.lastIndexOf("\n", fits - 1) + 1;
  const first = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return lineEnd > 0 ? lineEnd : Math.max(wholeCharactersEnd(text, fits), first);
}

/** Length of whole units of base64, at least one. */
function wholeUnits(fits: number): number {
  return Math.max(1, Math.floor(fits / BASE64_UNIT)) * BASE64_UNIT;
}
