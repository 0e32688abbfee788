import { createJsonSplitter, type SplitItems } from "./json-splitter.js";
import type { HeldStream } from "./held-stream.js";
import { pause } from "../../../util/pause.js";
import { createRowCheck } from "../table/identify-table.js";
import { sampledRecords } from "../record-offsets.js";
import { createSpoolSink, type SpoolPlace, type SpoolSink } from "./spool.js";
import { decodeText } from "../../../util/text-encoding.js";
import { textKind } from "../text-kind.js";
import { isBinary } from "../bytes.js";
import type { Content } from "../../types/content.js";

interface SpooledOutput {
  readonly content: Content;
  readonly bodyBytes: number;
  readonly digest: string;
  readonly streamBytes: number;
  readonly head: string;
  readonly tail: string;
  readonly missingBytes: number;
  /** An even sample of the text, or its beginning. */
  readonly sample: string;
  readonly error: unknown;
  readonly chunks: () => AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

interface SpoolOptions {
  readonly place: SpoolPlace;
  /** Otherwise an array, and documents that are not on lines, are one document. */
  readonly splitsJson: boolean;
}

interface Found extends Pick<Content, "kind" | "layout" | "records" | "literalQuotes"> {
  readonly sink: SpoolSink;
}

/**
 * Reads a stream into an unnamed file, then finds its records: of a record stream, JSON documents or one JSON array,
 * or table rows. After a stop, an unfinished last record is dropped. If the stream fails, its
 * state has the fault.
 */
export async function spoolOutput(
  stream: HeldStream,
  { place, splitsJson }: SpoolOptions,
): Promise<SpooledOutput> {
  const { state } = stream;
  const opened: SpoolSink[] = [];
  const open = (): SpoolSink => {
    const sink = createSpoolSink(place);
    opened.push(sink);
    return sink;
  };

  async function find(text: SpoolSink): Promise<Found> {
    if (state.unit === "records") {
      const records = recordsOf(text);
      return { sink: text, kind: "json-array", layout: "records", records };
    }
    const isThere = text.error() === undefined;
    const found = isThere ? ((await findJson(text)) ?? (await findRows(text))) : undefined;
    if (found !== undefined) return found;
    const head = text.head();
    const kind = isBinary(head) ? "binary" : textKind(decodeText(head));
    return { sink: text, kind, layout: "text", records: undefined };
  }

  async function findJson(text: SpoolSink): Promise<Found | undefined> {
    for (const items of ["elements", "documents"] as const) {
      const sink = open();
      if (!(await splitInto(sink, text, items)) || sink.error() !== undefined) continue;
      const kind = items === "elements" ? "json-array" : "json-lines";
      const found = { kind, layout: "records", records: recordsOf(sink) } as const;
      if (splitsJson) return { ...found, sink };
      const document = { ...found, sink: text, layout: "document" } as const;
      if (state.complete && items === "elements") return document;
      if (items === "elements") return undefined;
      const whole = await without(text, state.complete ? 0 : text.tally.restBytes());
      if (whole.tally.lineCount() === sink.tally.lineCount()) return { ...found, sink: whole };
      return state.complete ? document : undefined;
    }
    return undefined;
  }

  /** Whether the text is such a list. */
  async function splitInto(sink: SpoolSink, text: SpoolSink, items: SplitItems): Promise<boolean> {
    const splitter = createJsonSplitter(items);
    for await (const block of text.chunks()) {
      const lines = splitter.take(block);
      if (lines === undefined) return false;
      await sink.take(lines);
      await pause();
    }
    const end = splitter.end(state.complete);
    if (end !== undefined) await sink.take(end.lines);
    return end !== undefined && sink.tally.lineCount() >= end.least;
  }

  async function findRows(text: SpoolSink): Promise<Found | undefined> {
    const rows = createRowCheck();
    for await (const block of text.chunks()) if (!(await rows.take(block))) return undefined;
    const table = await rows.end(state.complete);
    if (table === undefined) return undefined;
    const { unfinishedBytes, ...found } = table;
    return { ...found, layout: "rows", sink: await without(text, unfinishedBytes) };
  }

  async function without(text: SpoolSink, unfinishedBytes: number): Promise<SpoolSink> {
    if (unfinishedBytes === 0) return text;
    const sink = open();
    let roomBytes = text.tally.sizeBytes() - unfinishedBytes;
    for await (const block of text.chunks()) {
      await sink.take(block.subarray(0, roomBytes));
      roomBytes = Math.max(0, roomBytes - block.length);
    }
    return sink;
  }

  async function closeBut(sink: SpoolSink | undefined) {
    for (const each of opened) if (each !== sink) await each.close();
  }

  try {
    const text = open();
    for await (const block of stream.blocks()) await text.take(block);
    const { sink, ...found } = await find(text);
    await closeBut(sink);
    const head = text.head();
    const streamBytes = text.tally.sizeBytes();
    const tail = text.tally.tail();
    const betweenBytes = streamBytes - tail.length - head.length;
    return {
      content: {
        ...found,
        body: sink.head(),
        lineCount: sink.tally.lineCount(),
        ...(!state.complete && { complete: false }),
      },
      bodyBytes: sink.tally.sizeBytes(),
      digest: sink.tally.digest(),
      streamBytes,
      head: decodeText(head),
      tail: decodeText(tail.subarray(Math.max(0, -betweenBytes))),
      missingBytes: Math.max(0, betweenBytes),
      sample: text.tally.lines().join("\n").trim() || decodeText(head),
      error: sink.error(),
      chunks: sink.chunks,
      close: sink.close,
    };
  } catch (fault) {
    await closeBut(undefined);
    throw fault;
  }
}

function recordsOf({ tally }: SpoolSink): Content["records"] {
  return sampledRecords(tally.lines(), tally.lineCount());
}
