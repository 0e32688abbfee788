import { tmpdir } from "node:os";

import { pause } from "../../util/pause.js";
import { type HeldStream, holdStream, throwFault } from "../content/stream/held-stream.js";
import { streamOf } from "../content/stream/output-stream.js";
import { unwrapOutput } from "../content/unwrap.js";
import { type FileFormat, type LaidOutStream, layOutStream, layOutText } from "../store/lay-out.js";
import type { ToolOutput, UnwrappedOutput } from "../types/output.js";
import type { Call, EncodedOutput, Payload } from "./call.js";
import type { PipelineContext } from "./context.js";
import pLimit from "p-limit";

const layouts = pLimit(4);

/** A longer stream counts as large. */
const HELD_BYTES = 4_194_304;

/**
 * Holds at least the first 4 MiB of a stream, so that smaller text streams are treated like values.
 *
 * @param isBusy - Whether others are being read.
 * @throws {@link StreamFault} with the stream's error, or the reason of its signal.
 */
export async function openPayload(
  context: PipelineContext,
  { output, options: { fileFormat, mode } }: Call,
  isBusy: boolean,
): Promise<Payload> {
  const stream = streamOf(output.value);
  if (stream === undefined) {
    if (isBusy) await pause();
    // Only what is stored is joined with the artifact.
    const own = mode === "truncate" ? { ...output, artifact: undefined } : output;
    return textPayload(output, fileFormat, unwrapOutput(own));
  }
  const { maxOutputBytes: maxBytes } = context.options;
  // Without delay: a failing stream without a listener ends the process.
  const held = holdStream(stream, { maxBytes, signal: output.signal });
  try {
    await held.hold(HELD_BYTES);
    throwFault(held);
    return streamPayload(context, held, output, fileFormat);
  } catch (error) {
    held.close();
    throw error;
  }
}

function textPayload(
  output: ToolOutput,
  fileFormat: FileFormat,
  own: UnwrappedOutput,
  unwrapped: UnwrappedOutput = own,
): Payload {
  const { text = "" } = unwrapped;
  let laidOut: Promise<EncodedOutput> | undefined;
  async function layOut(): Promise<EncodedOutput> {
    if (layouts.pendingCount > 0) await pause();
    return { ...(await layOutText(text, fileFormat)), text };
  }
  const encode = (): Promise<EncodedOutput> => (laidOut ??= layouts(layOut));
  return {
    output,
    ...unwrapped,
    isWhole: true,
    hasRecords: () => haveRecords(encode),
    substitute: (set) =>
      textPayload(output, fileFormat, own, set === undefined ? own : unwrapOutput(output, set)),
    encode,
    excerpt: () => Promise.resolve({ text }),
    close: () => Promise.resolve(),
  };
}

async function haveRecords(encode: Payload["encode"]): Promise<boolean> {
  // If it fails, it fails again when stored, and is shortened then.
  return await encode().then(
    ({ content }) => content.records !== undefined,
    () => true,
  );
}

function streamPayload(
  { options, count }: PipelineContext,
  held: HeldStream,
  given: ToolOutput,
  fileFormat: FileFormat,
): Payload {
  const { temporaryDirectory: directory = tmpdir(), store } = options;
  const output = { ...given, value: held.text() };
  if (held.isPlain()) {
    held.close();
    return textPayload(output, fileFormat, unwrapOutput(output));
  }
  const unwrapped = unwrapOutput(output);
  const isWhole = held.isWhole();
  let read: Promise<LaidOutStream> | undefined;

  async function readToEnd(): Promise<LaidOutStream> {
    const place = { directory, isEncrypted: store.bodies === "sealed" };
    try {
      return await (read ??= layOutStream(held, {
        fileFormat,
        place,
        count,
      }));
    } catch (error) {
      throwFault(held);
      throw error;
    }
  }

  async function encode(): Promise<EncodedOutput> {
    const { laidOut, error, cuttable } = await readToEnd();
    if (error !== undefined) throw error;
    if (isWhole) return { ...laidOut, text: unwrapped.text ?? "" };
    return { ...laidOut, text: cuttable.text, measurement: cuttable.measurement };
  }

  return {
    output,
    ...unwrapped,
    isWhole,
    hasRecords: isWhole ? () => haveRecords(encode) : undefined,
    encode,
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
