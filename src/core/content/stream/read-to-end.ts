import { createJsonSplitter } from "./json-splitter.js";
import { escapeSurrogates } from "../json/identify-json.js";
import type { HeldStream } from "./held-stream.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { createRowCheck } from "../table/identify-table.js";
import { sampledRecords } from "../record-offsets.js";
import { beginningOf, createSpoolSink, type SpoolPlace, type SpoolSink } from "./spool.js";
import { decodeText } from "../../../util/text-encoding.js";
import { textKind } from "../text-kind.js";
import { isBinary } from "../bytes.js";
import type { Content, ContentKind, TextEncodingName } from "../../types/content.js";

/** A stream that was read to its end. */
export interface SpooledOutput {
  /** Its body is the beginning of what is stored; `records` reach a sample that is spread over it. */
  readonly content: Content;
  readonly bodyBytes: number;
  /** SHA-256 of the body in hex. */
  readonly digest: string;
  readonly streamBytes: number;
  /** The beginning of the stream, its end that does not meet it, and the bytes between them. */
  readonly head: string;
  readonly tail: string;
  readonly missingBytes: number;
  /** Text from places all over the stream, for an estimate of its tokens. */
  readonly windows: string;
  /** What kept the body from being spooled; the stream was read to its end all the same. */
  readonly error: unknown;
  /** The body from the spool file. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Deletes the spool file. */
  close(): Promise<void>;
}

export interface SpoolOptions {
  /** Where the spool files go; `undefined` when the body is not to be kept. */
  readonly place: SpoolPlace | undefined;
  /**
   * Whether JSON elements and documents are to be on lines of their own; otherwise one array is text, and
   * documents that are on no lines of their own are one document.
   */
  readonly splitsJson: boolean;
}

/** What a stream turned out to be, and what holds it as it is to be stored. */
interface Found {
  readonly sink: SpoolSink;
  readonly kind: ContentKind;
  readonly layout: Content["layout"];
  readonly records: Content["records"];
  readonly encoding: TextEncodingName;
}

const LINE_END = Buffer.from("\n");

/**
 * Reads a stream to its end, into a file without a name, and keeps exact counts and a sample of it. Records
 * are those of a stream of records, the documents of a text that is nothing but objects or arrays of JSON on lines, and the
 * elements of one JSON array, both of which are spooled beside it, and the rows of a table. Of a stream that was stopped,
 * an unfinished last document, element or row is left out. Records and rows that came in Latin-1 are in UTF-8. Stops
 * where the stream fails, which its state then says.
 */
export async function spoolOutput(
  stream: Pick<HeldStream, "state" | "encoding" | "blocks">,
  { place, splitsJson }: SpoolOptions,
): Promise<SpooledOutput> {
  const asCame = createSpoolSink(place);
  const elements = createSpoolSink(place);
  const documents = createSpoolSink(splitsJson ? place : undefined);
  const splitter = createJsonSplitter();
  const rows = createRowCheck();
  let cut: SpoolSink | undefined;
  const isText = stream.state.unit === "text";
  let endsLine = true;
  const isWtf8 = (): boolean => stream.encoding() === "wtf-8";
  const isKept = (): boolean => place !== undefined && asCame.error() === undefined;

  /** Lines of JSON, in which a lone surrogate can be escaped. */
  async function keep(sink: SpoolSink, json: Buffer): Promise<void> {
    const text = isWtf8() ? await escapeSurrogates(decodeText(json, "wtf-8")) : undefined;
    await sink.take(text === undefined ? json : Buffer.from(text));
  }

  async function splitJson(block: Buffer): Promise<void> {
    for (let from = 0; from < block.length; from += BYTES_BETWEEN_PAUSES) {
      const part = block.subarray(from, from + BYTES_BETWEEN_PAUSES);
      const lines = splitter.take(part);
      if (splitsJson) await keep(elements, lines.elements);
      await keep(documents, lines.documents);
      await pause();
    }
  }

  /** What came but for its last bytes. */
  async function without(unfinishedBytes: number): Promise<SpoolSink> {
    if (unfinishedBytes === 0 || !isKept()) return asCame;
    cut = await beginningOf(asCame, unfinishedBytes, place);
    return cut;
  }

  async function find(): Promise<Found> {
    const isComplete = stream.state.complete;
    const encoding = stream.encoding();
    if (!isText) {
      if (!endsLine) await asCame.take(LINE_END);
      const records = recordsOf(asCame);
      return { sink: asCame, kind: "json-array", layout: "records", records, encoding };
    }
    const ends = splitter.end(isComplete);
    for (const [sink, kind, { lines, least = Number.POSITIVE_INFINITY }] of [
      ...(splitsJson ? [[elements, "json-array", ends.elements] as const] : []),
      [documents, "json-lines", ends.documents] as const,
    ]) {
      await keep(sink, lines);
      if (sink.tally.lineCount() < least || sink.error() !== undefined) continue;
      const found = { kind, layout: "records" as const, records: recordsOf(sink) };
      if (splitsJson) return { sink, ...found, encoding: "utf-8" };
      const whole = await without(isComplete ? 0 : splitter.unfinishedBytes());
      const areLines = whole.tally.lineCount() === sink.tally.lineCount();
      return { sink: whole, ...found, ...(!areLines && { layout: "document" }), encoding };
    }
    const table = await rows.end(isComplete);
    if (table !== undefined) {
      const { unfinishedBytes, ...found } = table;
      return { sink: await without(unfinishedBytes), ...found, layout: "rows", encoding };
    }
    const head = asCame.head();
    const isData = encoding === "latin1" && isBinary(head);
    const kind = isData ? "binary" : textKind(decodeText(head, encoding));
    return { sink: asCame, kind, layout: "text", records: undefined, encoding };
  }

  /** What came in Latin-1, read once more: the engines that know records and rows read UTF-8. */
  async function readAsUtf8(): Promise<SpooledOutput> {
    const { state } = stream;
    const inUtf8 = { state, encoding: () => "utf-8" as const, blocks: () => utf8Of(asCame) };
    const spooled = await spoolOutput(inUtf8, { place, splitsJson });
    return { ...spooled, content: { ...spooled.content, unkept: asCame.tally.digest() } };
  }

  async function closeBut(sink: SpoolSink | undefined): Promise<void> {
    for (const each of [asCame, elements, documents, cut]) if (each !== sink) await each?.close();
  }

  try {
    for await (const block of stream.blocks()) {
      endsLine = block.at(-1) === LINE_END[0];
      await asCame.take(block);
      if (!isText) continue;
      await splitJson(block);
      await rows.take(block);
    }
    const { sink, ...found } = await find();
    const read = stream.encoding();
    if (read === "latin1" && found.layout !== "text" && isKept()) {
      const spooled = await readAsUtf8();
      await closeBut(undefined);
      return spooled;
    }
    await closeBut(sink);
    const isSplit = sink !== asCame && sink !== cut;
    const { head, tail, missingBytes } = endsOf(asCame);
    return {
      content: {
        ...found,
        body: sink.head(),
        lineCount: sink.tally.lineCount(),
        ...(isSplit && isWtf8() && { unkept: asCame.tally.digest() }),
        ...(stream.state.complete ? {} : { complete: false as const }),
      },
      bodyBytes: sink.tally.sizeBytes(),
      digest: sink.tally.digest(),
      streamBytes: asCame.tally.sizeBytes(),
      head: decodeText(head, read),
      tail: decodeText(tail, read),
      missingBytes,
      windows: decodeText(asCame.tally.windows(), read),
      error: sink.error(),
      chunks: () => sink.chunks(),
      close: () => sink.close(),
    };
  } catch (fault) {
    await closeBut(undefined);
    throw fault;
  }
}

function recordsOf({ tally }: SpoolSink): Content["records"] {
  return sampledRecords(tally.lines(), tally.lineCount(), tally.lastLine());
}

/** The beginning of what a sink has taken, its end that does not meet it, and the bytes between them. */
function endsOf(sink: SpoolSink): { head: Buffer; tail: Buffer; missingBytes: number } {
  const head = sink.head();
  const between = sink.tally.sizeBytes() - sink.tally.tail().length - head.length;
  const tail = sink.tally.tail().subarray(Math.max(0, -between));
  return { head, tail, missingBytes: Math.max(0, between) };
}

async function* utf8Of(latin1: SpoolSink): AsyncGenerator<Buffer, void> {
  for await (const block of latin1.chunks()) yield Buffer.from(decodeText(block, "latin1"));
}
