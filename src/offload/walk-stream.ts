import { holdStream, throwFault } from "../content/stream/held-stream.js";
import type { OffloadResult } from "../types.js";
import type { WalkedOutput } from "./walked-output.js";

/** How much of a stream is held before the first decision, in bytes. */
const HELD_BYTES = 4_194_304;

/**
 * Walks a stream: as much of it is held as the decision needs, at least 4 MiB, so that a smaller one is like any
 * value, unless it was stopped or is no text.
 *
 * @param walk - Walks what is held; `undefined` asks for more.
 * @throws {@link StreamFault} with what the stream throws, or the reason of its signal.
 */
export async function walkStream(
  source: AsyncIterable<unknown>,
  walked: WalkedOutput,
  options: {
    readonly maxBytes: number;
    readonly walk: (walked: WalkedOutput) => Promise<OffloadResult | undefined>;
  },
): Promise<OffloadResult> {
  const { output } = walked;
  const held = holdStream(source, { maxBytes: options.maxBytes, signal: output.signal });
  try {
    for (let heldBytes = HELD_BYTES; ; heldBytes *= 2) {
      await held.hold(heldBytes);
      throwFault(held);
      const rest = held.isPlain() ? undefined : held;
      const value = held.text();
      const result = await options.walk({ ...walked, output: { ...output, value }, rest });
      throwFault(held);
      if (result !== undefined) return result;
    }
  } catch (error) {
    throwFault(held);
    throw error;
  } finally {
    held.close();
  }
}
