import { unwrapOutput } from "../content/unwrap.js";
import { roomInWindow } from "../decide/window-room.js";
import { inlineResult } from "./inline-result.js";
import type { TokenMeasure } from "../measure/measure.js";
import { layOutStream } from "../store/body/lay-out.js";
import type { Truncation } from "./truncation.js";
import type { Content, OffloadResult } from "../types.js";
import type { WalkedOutput } from "./walked-output.js";

/** Why a stream left of which nobody has said that it is too large. */
export const TOO_LONG = "longest stream that is held";
/** What comes back of a stream when nothing else can be done. */
const BEGINNING_CHARACTERS = 10_000;

/** What an output is that failed on its way; `content` is what was found in it. */
type Stay = (
  walked: WalkedOutput & { readonly reason?: string },
  error: unknown,
  content?: Content,
) => Promise<OffloadResult>;

/** Leaves what failed as it is, as far as the context window has room for it; the rest is cut. */
export function createStay({
  measure,
  count,
  truncation,
}: {
  readonly measure: TokenMeasure;
  readonly count: (text: string) => Promise<number>;
  readonly truncation: Truncation;
}): Stay {
  return async (walked, error, content) => {
    const { output, options, notify } = walked;
    const rest = walked.rest?.isWhole() === false ? walked.rest : undefined;
    try {
      const limits = roomInWindow(output.conversation, options.contextWindowTokens);
      const { text = "", keptBlocks } = unwrapOutput(output);
      const measurement = await measure.measure(text, limits.tokens?.limitTokens ?? Infinity);
      if (output.origin !== "user" && (rest !== undefined || measurement.overLimit)) {
        const { reason = limits.tokens?.reason ?? TOO_LONG } = walked;
        const held = { output, options, notify, text, keptBlocks, measurement, limits, reason };
        const whole =
          rest && (await layOutStream(rest, { ...options, count, nextPage: output.nextPage }));
        await whole?.laidOut.close();
        const known = whole?.laidOut.content ?? content;
        return await truncation.cutAfterFailure({ ...held, ...whole?.cuttable }, known, error);
      }
    } catch {
      // An output of which not even the text can be had stays.
      if (rest) {
        const beginning = String(output.value).slice(0, BEGINNING_CHARACTERS);
        const value = `${beginning}\n[Only the beginning of this stream is here.]`;
        return { outcome: "inline", value };
      }
    }
    truncation.reportFailure({ output, notify }, error, "inline");
    return inlineResult(output, options);
  };
}
