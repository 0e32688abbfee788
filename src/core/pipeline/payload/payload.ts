import pLimit from "p-limit";

import { streamOf } from "../../content/stream/output-stream.js";
import { unwrapOutput } from "../../content/unwrap.js";
import { layOutText } from "../../store/lay-out.js";
import type { ToolOutput, UnwrappedOutput } from "../../types/output.js";
import { pause } from "../../../util/pause.js";
import type { Call, EncodedOutput, Payload } from "../call.js";
import { holdPayload, type StreamOpening } from "./stream-payload.js";

/** Texts laid out at once in this process; of a thousand parallel ones, the first are then done soon. */
const layouts = pLimit(4);

/**
 * Takes what came for the walk; of a stream at least its first 4 MiB, so that a smaller one is like any value, unless
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
    standIn: (set) => textPayload(output, fileFormat, unwrapOutput(output, set)),
    encode: encoded,
    excerpt: () => Promise.resolve({ text }),
    close: () => Promise.resolve(),
  };
}
