import {
  callback,
  checkedOptions,
  fraction as part,
  optionsOf,
  size,
} from "../../../util/option-rules.js";
import { DEFAULT_CONTEXT_WINDOW_TOKENS, wholePart } from "../window-room.js";
import type { Gate } from "../gate.js";

/** A limit on the conversation as a whole. */
export interface HeadroomOptions {
  /** Largest part of the context window that the conversation may take, from 0 to 1; 1 is no gate. */
  readonly fraction: number;
  /**
   * Outputs of fewer UTF-8 bytes stay inline, however full the context is.
   *
   * @defaultValue `0`
   */
  readonly minBytes?: number;
  /**
   * Part of the context window at which conversations are summarized, from 0 to 1. A headroom that is not below it
   * causes a warning.
   */
  readonly summarizationFraction?: number;
  /**
   * Called when the headroom is not below `summarizationFraction`.
   *
   * @defaultValue a warning of the process
   */
  readonly onWarning?: (message: string) => void;
}

const schema = optionsOf({
  fraction: part,
  minBytes: size.optional(),
  summarizationFraction: part.optional(),
  onWarning: callback.optional(),
});

/**
 * Limits an output to what is left of the conversation's share of the window, in tokens. An output that fills the
 * share exactly stays inline; once the share is used up, nothing of `minBytes` or more does. There is no limit if the
 * conversation's tokens are unknown, or the headroom is 1. An unknown window counts as 128,000 tokens.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a number is out of range.
 */
export function headroom(options: HeadroomOptions): Gate {
  const {
    fraction,
    minBytes = 0,
    summarizationFraction,
    onWarning = (message) => process.emitWarning(message),
  } = checkedOptions<HeadroomOptions>("headroom", schema, options);
  if (summarizationFraction !== undefined && fraction < 1 && fraction >= summarizationFraction) {
    onWarning(
      `Outputs are offloaded at ${fraction} of the context window and conversations are summarized at ${summarizationFraction}, so a fresh output may be summarized away. Set the headroom below the summarization threshold.`,
    );
  }
  return ({
    conversationTokens,
    contextWindowTokens = DEFAULT_CONTEXT_WINDOW_TOKENS,
    outputBytes,
  }) => {
    if (conversationTokens === undefined || fraction === 1) return undefined;
    const tokens = Math.max(0, wholePart(fraction, contextWindowTokens) - conversationTokens);
    if (minBytes > 0 && outputBytes() < minBytes) return undefined;
    return { tokens, reason: `headroom of ${fraction} of ${contextWindowTokens} tokens` };
  };
}
