import { createArraySplitter } from "../content/array-splitter.js";
import type { HeldStream } from "../content/held-stream.js";
import { createJsonLineCheck } from "../content/json-line-check.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../content/pause.js";
import { createRowCheck } from "../content/row-check.js";
import { sampledRecords } from "../content/sampled-records.js";
import type { StreamTally } from "../content/stream-tally.js";
import { textKind } from "../content/text-kind.js";
import type { Content, ContentKind } from "../types.js";
import { createSpoolSink, type SpoolSink } from "./spool-sink.js";

/** A stream that was read to its end. */
export interface SpooledOutput {
  /** Its body is the beginning of what is stored; `records` reach a sample that is spread over it. */
  readonly content: Content;
  readonly bodyBytes: number;
  /** SHA-256 of the body in hex. */
  readonly digest: string;
  /** Bytes of the stream, its beginning, and its end that does not meet it. */
  readonly streamBytes: number;
  readonly head: string;
  readonly tail: string;
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
  readonly directory: string | undefined;
  /** Whether the elements of a JSON array are to be on lines of their own; otherwise it is text. */
  readonly splitsArrays: boolean;
}

/** What a stream turned out to be, and what holds it as it is to be stored. */
interface Found {
  readonly sink: SpoolSink;
  readonly kind: ContentKind;
  readonly layout: Content["layout"];
  readonly records: Content["records"];
}

const LINE_END = Buffer.from("\n");

/**
 * Reads a stream to its end, into a file without a name, and keeps exact counts and a sample of it. Records
 * are those of a stream of records, the lines of a text when all are objects or arrays of JSON, the elements of one
 * JSON array, which are spooled beside it, and the rows of a table. Stops where the stream fails, which its state
 * then says.
 */
export async function spoolOutput(
  stream: HeldStream,
  { directory, splitsArrays }: SpoolOptions,
): Promise<SpooledOutput> {
  const lines = createJsonLineCheck();
  const array = createArraySplitter();
  const rows = createRowCheck();
  const asCame = createSpoolSink(directory);
  const elements = createSpoolSink(directory);
  const isText = stream.state.unit === "text";
  let endsLine = true;

  async function takeElements(block: Buffer): Promise<void> {
    for (let from = 0; from < block.length; from += BYTES_BETWEEN_PAUSES) {
      await elements.take(await array.take(block.subarray(from, from + BYTES_BETWEEN_PAUSES)));
      await pause();
    }
  }

  async function find(): Promise<Found> {
    const isArray = array.isArray() && elements.error() === undefined;
    if (isArray && stream.encoding() === "utf-8") {
      await asCame.close();
      return { sink: elements, kind: "json-array", ...recordsOf(elements.tally) };
    }
    await elements.close();
    if (!isText || (await lines.end())) {
      if (!endsLine) await asCame.take(LINE_END);
      const kind = isText ? "json-lines" : "json-array";
      return { sink: asCame, kind, ...recordsOf(asCame.tally) };
    }
    const table = await rows.end();
    if (table !== undefined) return { sink: asCame, ...table, layout: "rows" };
    const kind = textKind(asCame.head().toString("utf8"));
    return { sink: asCame, kind, layout: "text", records: undefined };
  }

  try {
    for await (const block of stream.blocks()) {
      endsLine = block.at(-1) === LINE_END[0];
      await asCame.take(block);
      if (!isText) continue;
      await lines.take(block);
      if (splitsArrays) await takeElements(block);
      await rows.take(block);
    }
    const { sink, ...found } = await find();
    return {
      content: {
        ...found,
        body: sink.head(),
        lineCount: sink.tally.lineCount(),
        encoding: stream.encoding(),
        ...(stream.state.complete ? {} : { complete: false as const }),
      },
      bodyBytes: sink.tally.sizeBytes(),
      digest: sink.tally.digest(),
      streamBytes: asCame.tally.sizeBytes(),
      head: asCame.head().toString("utf8"),
      tail: tailAfter(asCame.tally, asCame.head().length),
      windows: asCame.tally.windows(),
      error: sink.error(),
      chunks: () => sink.chunks(),
      close: () => sink.close(),
    };
  } catch (fault) {
    await asCame.close();
    await elements.close();
    throw fault;
  }
}

function recordsOf(tally: StreamTally): Pick<Found, "layout" | "records"> {
  return { layout: "records", records: sampledRecords(tally.lines(), tally.lineCount()) };
}

function tailAfter(tally: StreamTally, headBytes: number): string {
  const tail = tally.tail();
  const startsAt = tally.sizeBytes() - tail.length;
  return tail.subarray(Math.max(0, headBytes - startsAt)).toString("utf8");
}
