import { pause } from "../../util/pause.js";
import { byteView, isBlob } from "../content/bytes.js";
import { type HeldStream, holdStream, throwFault } from "../content/stream/held-stream.js";
import { streamOf } from "../content/stream/output-stream.js";
import type { SpoolPlace } from "../content/stream/spool.js";
import { unwrapOutput } from "../content/unwrap.js";
import { type FileFormat, type LaidOutStream, layOutStream, layOutText } from "../store/lay-out.js";
import type { ToolOutput } from "../types/output.js";
import type { Call, EncodedOutput, Payload } from "./call.js";
import pLimit from "p-limit";

const layouts = pLimit(4);

/** Held before the first decision. */
const HELD_BYTES = 4_194_304;
/** A longer stream counts as large. */
const MAX_HELD_CHARACTERS = 268_435_456;

interface StreamOpening {
  readonly maxBytes: number;
  readonly place: SpoolPlace;
  readonly count: (text: string) => Promise<number>;
}

/**
 * Holds at least the first 4 MiB of a stream, so that smaller text streams are treated like values.
 *
 * @param ownTurn - Awaited before a value is read.
 * @throws {@link StreamFault} with the stream's error, or the reason of its signal.
 */
export async function openPayload(
  { output, options: { fileFormat } }: Call,
  opening: StreamOpening,
  ownTurn: () => Promise<void>,
): Promise<Payload> {
  const stream = streamOf(output.value);
  if (stream === undefined) {
    await ownTurn();
    return textPayload(output, fileFormat);
  }
  // Without delay: a failing stream without a listener ends the process.
  const held = holdStream(stream, { maxBytes: opening.maxBytes, signal: output.signal });
  try {
    return await payloadOf(held, HELD_BYTES, output, { ...opening, fileFormat });
  } catch (error) {
    held.close();
    throw error;
  }
}

function textPayload(
  output: ToolOutput,
  fileFormat: FileFormat,
  unwrapped = unwrapOutput(output),
): Payload {
  const { text = "" } = unwrapped;
  let laidOut: Promise<EncodedOutput> | undefined;
  async function layOut(): Promise<EncodedOutput> {
    if (layouts.pendingCount > 0) await pause();
    return { ...(await layOutText(text, fileFormat, output.nextPage)), text };
  }
  const encode = (): Promise<EncodedOutput> => (laidOut ??= layouts(layOut));
  return {
    output,
    ...unwrapped,
    isWhole: true,
    hasRecords: () =>
      encode().then(
        ({ content }) => content.records !== undefined,
        // It fails again when stored, and is shortened then.
        () => true,
      ),
    substitute: (set) => textPayload(output, fileFormat, unwrapOutput(output, set)),
    encode,
    excerpt: () => Promise.resolve({ text }),
    close: () => Promise.resolve(),
  };
}

async function payloadOf(
  held: HeldStream,
  heldBytes: number,
  given: ToolOutput,
  parts: StreamOpening & { readonly fileFormat: FileFormat },
): Promise<Payload> {
  await held.hold(heldBytes);
  throwFault(held);
  const text = { ...given, value: held.text() };
  // Bytes and blobs can be read again.
  const output = isReadOnce(given.value) ? text : given;
  if (held.isPlain()) {
    held.close();
    return { ...textPayload(text, parts.fileFormat), output };
  }
  const unwrapped = unwrapOutput(text);
  const isWhole = held.isWhole();
  const canHoldMore = !isWhole && (unwrapped.text ?? "").length < MAX_HELD_CHARACTERS;
  let read: Promise<LaidOutStream> | undefined;

  async function readToEnd(): Promise<LaidOutStream> {
    try {
      return await (read ??= layOutStream(held, { ...parts, nextPage: output.nextPage }));
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
