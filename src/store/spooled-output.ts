import type { HeldStream } from "../content/held-stream.js";
import { createJsonLineCheck } from "../content/json-line-check.js";
import { createRowCheck } from "../content/row-check.js";
import { sampledRecords } from "../content/sampled-records.js";
import { createStreamTally, type StreamTally } from "../content/stream-tally.js";
import { textKind } from "../content/text-kind.js";
import type { Content } from "../types.js";
import { createSpoolFile, type SpoolFile } from "./spool-file.js";

/** A stream that was read to its end. */
export interface SpooledOutput {
  /** Its body is the beginning of the stream; `records` reach a sample that is spread over it. */
  readonly content: Content;
  readonly bodyBytes: number;
  /** SHA-256 of the body in hex. */
  readonly digest: string;
  /** The beginning, and the end that does not meet it. */
  readonly head: string;
  readonly tail: string;
  /** Text from places all over the body, for an estimate of its tokens. */
  readonly windows: string;
  /** What kept the body from being spooled; the stream was read to its end all the same. */
  readonly error: unknown;
  /** The body from the spool file. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Deletes the spool file. */
  close(): Promise<void>;
}

const LINE_END = Buffer.from("\n");

/**
 * Reads a stream to its end, into a file without a name, and keeps exact counts and a sample of it. Records
 * are those of a stream of records, the lines of a text when all are objects or arrays of JSON, and the rows of a
 * table. Stops where the stream fails, which its state then says.
 *
 * @param directory - Where the spool file goes; `undefined` when the body is not to be kept.
 */
export async function spoolOutput(
  stream: HeldStream,
  directory: string | undefined,
): Promise<SpooledOutput> {
  const tally = createStreamTally();
  const lines = createJsonLineCheck();
  const rows = createRowCheck();
  const isText = stream.state.unit === "text";
  let head: Buffer | undefined;
  let file: SpoolFile | undefined;
  let error: unknown;
  let endsLine = true;

  async function spool(block: Buffer): Promise<void> {
    if (directory === undefined || error !== undefined) return;
    try {
      file ??= await createSpoolFile(directory);
      await file.write(block);
    } catch (cause) {
      error = cause ?? new Error("The stream could not be spooled.");
    }
  }

  try {
    for await (const block of stream.blocks()) {
      head ??= Buffer.from(block);
      endsLine = block.at(-1) === LINE_END[0];
      tally.take(block);
      if (isText) {
        await lines.take(block);
        await rows.take(block);
      }
      await spool(block);
    }
    const hasLines = !isText || (await lines.end());
    const table = hasLines ? undefined : await rows.end();
    if (hasLines && !endsLine) {
      tally.take(LINE_END);
      await spool(LINE_END);
    }
    const body = head ?? Buffer.alloc(0);
    return {
      content: contentOf(stream, tally, { body, hasLines, table }),
      bodyBytes: tally.sizeBytes(),
      head: body.toString("utf8"),
      tail: tailAfter(tally, body.length),
      windows: tally.windows(),
      digest: tally.digest(),
      error,
      chunks: () => file?.read() ?? nothing(),
      close: async () => await file?.close(),
    };
  } catch (fault) {
    await file?.close();
    throw fault;
  }
}

function contentOf(
  stream: HeldStream,
  tally: StreamTally,
  found: {
    readonly body: Buffer;
    readonly hasLines: boolean;
    readonly table: Pick<Content, "kind" | "records"> | undefined;
  },
): Content {
  const { body, hasLines, table } = found;
  const shared = {
    body,
    lineCount: tally.lineCount(),
    encoding: stream.encoding(),
    ...(stream.state.complete ? {} : { complete: false as const }),
  };
  if (hasLines) {
    const kind = stream.state.unit === "records" ? "json-array" : "json-lines";
    const records = sampledRecords(tally.lines(), tally.lineCount());
    return { ...shared, kind, layout: "records", records };
  }
  if (table !== undefined) return { ...shared, ...table, layout: "rows" };
  const kind = textKind(body.toString("utf8"));
  return { ...shared, kind, layout: "text", records: undefined };
}

function tailAfter(tally: StreamTally, headBytes: number): string {
  const tail = tally.tail();
  const startsAt = tally.sizeBytes() - tail.length;
  return tail.subarray(Math.max(0, headBytes - startsAt)).toString("utf8");
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
