import { pause } from "../../util/pause.js";
import { byteView, isBlob } from "../content/bytes.js";
import { type HeldStream, holdStream, throwFault } from "../content/stream/held-stream.js";
import { streamOf } from "../content/stream/output-stream.js";
import type { SpoolPlace } from "../content/stream/spool.js";
import { unwrapOutput } from "../content/unwrap.js";
import { type FileFormat, type LaidOutStream, layOutStream, layOutText } from "../store/lay-out.js";
import type { ToolOutput, UnwrappedOutput } from "../types/output.js";
import type { Call, EncodedOutput, Payload } from "./call.js";
import pLimit from "p-limit";

const layouts = pLimit(4);

/**
 * Holds at least the first 4 MiB of a stream, so that smaller text streams are treated like values.
 *
 * @param ownTurn - Awaited before a value is read.
 * @throws {@link StreamFault} with the stream's error, or the reason of its signal.
 */
export async function openPayload(
  { output, options }: Call,
  opening: StreamOpening,
  ownTurn: () => Promise<void>,
): Promise<Payload> {
  const stream = streamOf(output.value);
  const asText = (one: ToolOutput): Payload =>
    textPayload(one, options.fileFormat, unwrapOutput(one));
  if (stream !== undefined) {
    // Without delay: a failing stream without a listener ends the process.
    return await holdPayload(stream, output, {
      ...opening,
      fileFormat: options.fileFormat,
      asText,
    });
  }
  await ownTurn();
  return asText(output);
}

function textPayload(
  output: ToolOutput,
  fileFormat: Call["options"]["fileFormat"],
  unwrapped: UnwrappedOutput,
): Payload {
  const { text = "" } = unwrapped;
  let laidOut: Promise<EncodedOutput> | undefined;
  async function layOut(): Promise<EncodedOutput> {
    if (layouts.pendingCount > 0) await pause();
    return { ...(await layOutText(text, fileFormat, output.nextPage)), text };
  }
  const encoded = (): Promise<EncodedOutput> => (laidOut ??= layouts(layOut));
  return {
    output,
    ...unwrapped,
    isWhole: true,
    hasRecords: () =>
      encoded().then(
        ({ content }) => content.records !== undefined,
        // It fails again when stored, and is shortened then.
        () => true,
      ),
    substitute: (set) => textPayload(output, fileFormat, unwrapOutput(output, set)),
    encode: encoded,
    excerpt: () => Promise.resolve({ text }),
    close: () => Promise.resolve(),
  };
}

/** Held before the first decision. */
const HELD_BYTES = 4_194_304;
/** A longer stream counts as large. */
const MAX_HELD_CHARACTERS = 268_435_456;

export interface StreamOpening {
  readonly maxBytes: number;
  readonly place: SpoolPlace;
  readonly count: (text: string) => Promise<number>;
}

interface StreamParts extends StreamOpening {
  readonly fileFormat: FileFormat;
  readonly asText: (output: ToolOutput) => Payload;
}

/** @throws {@link StreamFault} */
async function holdPayload(
  source: AsyncIterable<unknown>,
  output: ToolOutput,
  parts: StreamParts,
): Promise<Payload> {
  const held = holdStream(source, { maxBytes: parts.maxBytes, signal: output.signal });
  try {
    return await payloadOf(held, HELD_BYTES, output, parts);
  } catch (error) {
    held.close();
    throw error;
  }
}

async function payloadOf(
  held: HeldStream,
  heldBytes: number,
  given: ToolOutput,
  parts: StreamParts,
): Promise<Payload> {
  await held.hold(heldBytes);
  throwFault(held);
  const text = { ...given, value: held.text() };
  // Bytes and blobs can be read again.
  const output = isReadOnce(given.value) ? text : given;
  if (held.isPlain()) {
    held.close();
    return { ...parts.asText(text), output };
  }
  const { fileFormat, place, count } = parts;
  const unwrapped = unwrapOutput(text);
  const isWhole = held.isWhole();
  const canHoldMore = !isWhole && (unwrapped.text ?? "").length < MAX_HELD_CHARACTERS;
  let read: Promise<LaidOutStream> | undefined;

  async function readToEnd(): Promise<LaidOutStream> {
    const { nextPage } = output;
    try {
      return await (read ??= layOutStream(held, { fileFormat, count, nextPage, place }));
    } catch (error) {
      throwFault(held);
      throw error;
    }
  }

  return {
    output,
    ...unwrapped,
    isWhole,
    ...(canHoldMore && { more: () => payloadOf(held, 2 * heldBytes, given, parts) }),
    async encode() {
      const { laidOut, error, cuttable } = await readToEnd();
      if (error !== undefined) throw error;
      if (isWhole) return { ...laidOut, text: unwrapped.text ?? "" };
      return { ...laidOut, text: cuttable.text, measurement: cuttable.measurement };
    },
    async excerpt() {
      if (isWhole) return { text: unwrapped.text ?? "" };
      const { laidOut, cuttable } = await readToEnd();
      return { ...cuttable, content: laidOut.content };
    },
    async close() {
      held.close();
      await read?.then(({ laidOut }) => laidOut.close()).catch(() => {});
    },
  };
}

function isReadOnce(value: unknown): boolean {
  return byteView(value) === undefined && !isBlob(value);
}
