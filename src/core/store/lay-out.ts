import { createHash } from "node:crypto";
import { countLines, digestOf, sha256Of, withoutMark } from "../content/bytes.js";
import { encodeText } from "../../util/text-encoding.js";
import { type Content, documentSets, type Measurement, oneSet, setsOf } from "../types/content.js";
import type { HeldStream } from "../content/stream/held-stream.js";
import { identifyContent } from "../content/identify.js";
import { memoriesOf } from "../content/mif/memories-of.js";
import type { SpoolPlace } from "../content/stream/spool.js";
import { spoolOutput } from "../content/stream/read-to-end.js";

/**
 * How an output is laid out in its file. `lro`: records one per line under a header line; several sets stay in their
 * document. `json-lines`: only records, one per line; a document with more than its records stays as it came.
 * `original`: the bytes of the output.
 */
export type FileFormat = "lro" | "json-lines" | "original";

const OPENS_STRING = /^\s*"/;

/**
 * Tables and text are always stored as they came.
 *
 * @param text - The original text of the output.
 */
async function encodeContent(
  content: Content,
  text: string,
  fileFormat: FileFormat,
): Promise<Content> {
  const sets = documentSets(content);
  if (fileFormat === "lro" || (content.layout !== "records" && sets === undefined)) return content;
  const isLines = content.kind === "json-lines";
  const isWhole = content.kind === "json-array" && oneSet(content)?.envelope === undefined;
  if (fileFormat === "json-lines" && (isLines || isWhole)) return content;
  const unmarked = withoutMark(text);
  const own = OPENS_STRING.test(unmarked) ? String(JSON.parse(unmarked)) : unmarked;
  const body = await encodeText(own);
  const lineCount = await countLines(body);
  // Unless a document spans lines.
  if (isLines && lineCount === oneSet(content)?.count) return { ...content, body, lineCount };
  // The lines of `sets` are not those of the original.
  const records = sets?.map((set) => ({ ...set, lines: undefined })) ?? content.records;
  return { ...content, layout: "document", body, lineCount, records };
}

const PLACES = 16;
const PLACE_BYTES = 4_096;

export interface LaidOut {
  readonly content: Content;
  readonly header: boolean;
  readonly scoreRange: readonly [number, number] | undefined;
  readonly bodyBytes: number;
  /** Equal for equal outputs: facts and the whole body of a stream, or parts of any other body. */
  readonly fingerprint: string;
  digest(): Promise<string>;
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

function hasHeader({ layout }: Content, fileFormat: FileFormat): boolean {
  return fileFormat === "lro" && layout === "records";
}

export async function layOutText(text: string, fileFormat: FileFormat): Promise<LaidOut> {
  const identified = await identifyContent(text);
  const scored = fileFormat === "lro" ? await memoriesOf(identified) : undefined;
  const content = await encodeContent(scored?.content ?? identified, text, fileFormat);
  // Scores survive only as a range.
  const scores = scored && (await sha256Of(identified.body));
  return {
    content,
    header: hasHeader(content, fileFormat),
    scoreRange: scored?.scoreRange,
    bodyBytes: content.body.length,
    fingerprint: await fingerprintOf(content, placesOf(content.body), scores),
    digest: () => sha256Of(content.body),
    chunks: () => [content.body],
    close: async () => {},
  };
}

export interface LaidOutStream {
  readonly laidOut: LaidOut;
  readonly error: unknown;
  readonly cuttable: {
    readonly text: string;
    readonly missing: { readonly bytes: number; readonly tailCharacters: number };
    readonly measurement: Measurement;
  };
}

/**
 * With `fileFormat: "original"`, an array is one document; otherwise each record has its line. Tokens are estimated.
 *
 * @throws What the stream threw.
 */
export async function layOutStream(
  stream: HeldStream,
  options: {
    readonly fileFormat: FileFormat;
    readonly place: SpoolPlace;
    readonly count: (text: string) => Promise<number>;
  },
): Promise<LaidOutStream> {
  const { fileFormat, place, count } = options;
  const spooled = await spoolOutput(stream, { place, splitsJson: fileFormat !== "original" });
  const { content, bodyBytes, digest, streamBytes, head, tail } = spooled;
  const { missingBytes, sample, error, chunks, close } = spooled;
  const { fault } = stream.state;
  if (fault !== undefined) {
    await close();
    throw fault.error;
  }
  const share = streamBytes / Math.max(1, Buffer.byteLength(sample));
  const tokens = Math.round((await count(sample)) * share);
  return {
    laidOut: {
      content,
      header: hasHeader(content, fileFormat),
      scoreRange: undefined,
      bodyBytes,
      fingerprint: await fingerprintOf(content, digest),
      digest: async () => digest,
      chunks,
      close,
    },
    error,
    cuttable: {
      text: head + tail,
      missing: { bytes: missingBytes, tailCharacters: tail.length },
      measurement: {
        tokens,
        exact: false,
        characters: Math.round(sample.length * share),
        overLimit: true,
      },
    },
  };
}

async function fingerprintOf(content: Content, body: string, scores = ""): Promise<string> {
  const { kind, layout, complete, lineCount } = content;
  const [records] = setsOf(content);
  const envelope = records?.envelope === undefined ? null : await digestOf(records.envelope);
  const set = [records?.count, records?.path, envelope];
  const told = [kind, layout, complete, lineCount, ...set, scores, body];
  return await digestOf(JSON.stringify(told));
}

/** Costs the same for every body. */
function placesOf(body: Uint8Array): string {
  const hash = createHash("sha256");
  const stride = Math.max(PLACE_BYTES, (body.length - PLACE_BYTES) / (PLACES - 1));
  for (let place = 0; place < PLACES; place += 1) {
    const start = Math.floor(place * stride);
    hash.update(body.subarray(start, start + PLACE_BYTES));
  }
  return hash.digest("hex");
}

export async function contentAsCame(given: string): Promise<Content> {
  const text = withoutMark(given);
  const content = await encodeContent(await identifyContent(text), text, "original");
  const body = await encodeText(text);
  if (body.equals(content.body)) return content;
  const lineCount = await countLines(body);
  return { kind: "text", layout: "text", body, lineCount, records: undefined };
}
