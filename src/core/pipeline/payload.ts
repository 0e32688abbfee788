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
 * Takes what came for the runPipeline; of a stream at least its first 4 MiB, so that a smaller one is like any value, unless
 * it was stopped or is no text.
 *
 * @param ownTurn - Waited for before a value is looked at.
 * @throws {@link StreamFault} with what the stream throws, or the reason of its signal.
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
    // At once: a stream that nobody listens to ends the process when it fails.
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
        // What cannot be laid out fails once more where it is to be stored, and is shortened there.
        () => true,
      ),
    substitute: (set) => textPayload(output, fileFormat, unwrapOutput(output, set)),
    encode: encoded,
    excerpt: () => Promise.resolve({ text }),
    close: () => Promise.resolve(),
  };
}

/** How much of a stream is held before the first decision, in bytes. */
const HELD_BYTES = 4_194_304;
/** How much of a stream is held at most before it counts as large. */
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

/** Holds the beginning of a stream. @throws {@link StreamFault} */
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
  // Bytes can be read again, and stay what they are.
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
