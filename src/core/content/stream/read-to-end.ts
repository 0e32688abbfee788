import { createJsonSplitter, type SplitItems } from "./json-splitter.js";
import { escapeSurrogates } from "../json/identify-json.js";
import type { HeldStream } from "./held-stream.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { createRowCheck } from "../table/identify-table.js";
import { sampledRecords } from "../record-offsets.js";
import { createSpoolSink, type SpoolPlace, type SpoolSink } from "./spool.js";
import { decodeText } from "../../../util/text-encoding.js";
import { textKind } from "../text-kind.js";
import { isBinary } from "../bytes.js";
import type { Content, TextEncodingName } from "../../types/content.js";

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
  readonly place: SpoolPlace;
  /**
   * Whether JSON elements and documents are to be on lines of their own; otherwise one array is text, and
   * documents that are on no lines of their own are one document.
   */
  readonly splitsJson: boolean;
}

/** What a stream turned out to be, and what holds it as it is to be stored. */
interface Found extends Pick<
  Content,
  "kind" | "layout" | "records" | "encoding" | "literalQuotes"
> {
  readonly sink: SpoolSink;
  /** Whether its bytes are others than those that came. */
  readonly isOther?: boolean;
}

const LINE_END = Buffer.from("\n");

/**
 * Reads a stream to its end, into a file without a name, with exact counts and a sample of it, and then reads the file. Records
 * are those of a stream of records, the documents of a text that is nothing but objects or arrays of JSON on lines, the
 * elements of one JSON array, and the rows of a table. Of a stream that was stopped, an unfinished last document, element or
 * row is left out. Records and rows that came in Latin-1 are in UTF-8. Stops where the stream fails, which its state then says.
 */
export async function spoolOutput(
  stream: Pick<HeldStream, "state" | "encoding" | "blocks">,
  { place, splitsJson }: SpoolOptions,
): Promise<SpooledOutput> {
  const { state } = stream;
  const opened: SpoolSink[] = [];
  const open = (): SpoolSink => {
    const sink = createSpoolSink(place);
    opened.push(sink);
    return sink;
  };
  const asCame = open();

  let textBytes = 0;

  /** What came, in UTF-8 where it is Latin-1. */
  async function* blocks(): AsyncGenerator<Buffer, void> {
    const isLatin = stream.encoding() === "latin1";
    textBytes = 0;
    for await (const block of asCame.chunks()) {
      const text = isLatin ? Buffer.from(decodeText(block, "latin1")) : asBuffer(block);
      textBytes += text.length;
      yield text;
    }
  }

  async function find(): Promise<Found> {
    const encoding = stream.encoding();
    if (state.unit === "records") {
      const records = recordsOf(asCame);
      return { sink: asCame, kind: "json-array", layout: "records", records, encoding };
    }
    // The file lacks what there was no room for.
    const isThere = asCame.error() === undefined;
    return (isThere && ((await findJson()) ?? (await findRows()))) || textOf(encoding);
  }

  async function findJson(): Promise<Found | undefined> {
    const first = asCame.head().toString("latin1").trimStart()[0];
    const isArray = first === "[" && splitsJson;
    const forms = isArray ? (["elements", "documents"] as const) : (["documents"] as const);
    for (const items of first === "[" || first === "{" ? forms : []) {
      const sink = open();
      const unfinishedBytes = await splitInto(sink, items);
      if (unfinishedBytes === undefined || sink.error() !== undefined) continue;
      const kind = items === "elements" ? "json-array" : "json-lines";
      const found = { kind, layout: "records", records: recordsOf(sink) } as const;
      const isOther = stream.encoding() !== "utf-8";
      if (splitsJson) return { ...found, sink, encoding: "utf-8", isOther };
      const whole = await without(state.complete ? 0 : unfinishedBytes);
      const areLines = whole.sink.tally.lineCount() === sink.tally.lineCount();
      return { ...found, ...whole, ...(!areLines && { layout: "document" }) };
    }
    return undefined;
  }

  /** Gives how many bytes at the end are in no line; `undefined` where the text is no such list. */
  async function splitInto(sink: SpoolSink, items: SplitItems): Promise<number | undefined> {
    const splitter = createJsonSplitter(items);
    // A lone surrogate can be escaped in JSON.
    const keep = async (json: Buffer): Promise<void> =>
      await sink.take(
        stream.encoding() === "wtf-8"
          ? Buffer.from(await escapeSurrogates(decodeText(json, "wtf-8")))
          : json,
      );
    for await (const block of blocks()) {
      for (let from = 0; from < block.length; from += BYTES_BETWEEN_PAUSES) {
        const lines = splitter.take(block.subarray(from, from + BYTES_BETWEEN_PAUSES));
        if (lines === undefined) return undefined;
        await keep(lines);
        await pause();
      }
    }
    const end = splitter.end(state.complete);
    if (end !== undefined) await keep(end.lines);
    const isList = end !== undefined && sink.tally.lineCount() >= end.least;
    return isList ? splitter.unfinishedBytes() : undefined;
  }

  async function findRows(): Promise<Found | undefined> {
    const rows = createRowCheck();
    for await (const block of blocks()) if (!(await rows.take(block))) return undefined;
    const table = await rows.end(state.complete);
    if (table === undefined) return undefined;
    const { unfinishedBytes, ...found } = table;
    return { ...found, layout: "rows", ...(await without(unfinishedBytes)) };
  }

  /** What was read but for its last bytes, in UTF-8 where it is Latin-1. */
  async function without(
    unfinishedBytes: number,
  ): Promise<Pick<Found, "sink" | "encoding" | "isOther">> {
    const encoding = stream.encoding();
    const isLatin = encoding === "latin1";
    if (unfinishedBytes === 0 && !isLatin) return { sink: asCame, encoding };
    const sink = open();
    let roomBytes = textBytes - unfinishedBytes;
    for await (const block of blocks()) {
      await sink.take(block.subarray(0, roomBytes));
      roomBytes = Math.max(0, roomBytes - block.length);
    }
    return { sink, encoding: isLatin ? "utf-8" : encoding, isOther: isLatin };
  }

  function textOf(encoding: TextEncodingName): Found {
    const head = asCame.head();
    const isData = encoding === "latin1" && isBinary(head);
    const kind = isData ? "binary" : textKind(decodeText(head, encoding));
    return { sink: asCame, kind, layout: "text", records: undefined, encoding };
  }

  async function closeBut(sink: SpoolSink | undefined): Promise<void> {
    for (const each of opened) if (each !== sink) await each.close();
  }

  try {
    let endsLine = true;
    for await (const block of stream.blocks()) {
      endsLine = block.at(-1) === LINE_END[0];
      await asCame.take(block);
    }
    if (state.unit === "records" && !endsLine) await asCame.take(LINE_END);
    const { sink, isOther = false, ...found } = await find();
    const read = stream.encoding();
    await closeBut(sink);
    const { head, tail, missingBytes } = endsOf(asCame);
    return {
      content: {
        ...found,
        body: sink.head(),
        lineCount: sink.tally.lineCount(),
        ...(isOther && { unkept: asCame.tally.digest() }),
        ...(state.complete ? {} : { complete: false as const }),
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

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
