import { OffloadError } from "../../types/errors.js";
import {
  callback,
  checkedOptions,
  count,
  fraction as part,
  optionsOf,
  positive,
  size,
} from "../../../util/option-rules.js";
import { wholePart } from "../fraction.js";
import type { Gate } from "../gate.js";

/** A limit that grows with the model's context window. */
export interface ContextShareOptions {
  /** Largest part of the context window that one output may take, from 0 to 1. */
  readonly fraction: number;
  /** The limit is never below this, in UTF-8 bytes. */
  readonly minBytes: number;
  /** The limit is never above this, in UTF-8 bytes. */
  readonly maxBytes: number;
  /**
   * Bytes that a token stands for, to state a share of a window in tokens as bytes.
   *
   * @defaultValue `4`
   */
  readonly bytesPerToken?: number;
  /**
   * The window that is assumed when the model's is not known, in tokens.
   *
   * @defaultValue {@link DEFAULT_CONTEXT_WINDOW_TOKENS}
   */
  readonly fallbackContextWindowTokens?: number;
  /**
   * Told once, when a window has to be assumed.
   *
   * @defaultValue a warning of the process
   */
  readonly onWarning?: (message: string) => void;
}

/** The window of a model that does not state one: the smallest among the models in common use. */
export const DEFAULT_CONTEXT_WINDOW_TOKENS = 128_000;

const schema = optionsOf({
  fraction: part,
  minBytes: size,
  maxBytes: size,
  bytesPerToken: positive.optional(),
  fallbackContextWindowTokens: count.optional(),
  onWarning: callback.optional(),
});

/**
 * Limits an output to a share of the context window, in bytes, between a floor and a ceiling. An output
 * of exactly the limit stays inline. A model without a known window is taken for one of 128,000 tokens,
 * and a warning says so once.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a number is out of range, or the floor
 * is above the ceiling.
 */
export function contextShare(options: ContextShareOptions): Gate {
  const checked = checkedOptions<ContextShareOptions>("contextShare", schema, options);
  const { fraction, minBytes, maxBytes, bytesPerToken = 4 } = checked;
  const { fallbackContextWindowTokens = DEFAULT_CONTEXT_WINDOW_TOKENS } = checked;
  const { onWarning = (message) => process.emitWarning(message) } = checked;
  if (minBytes > maxBytes) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `contextShare needs minBytes (${minBytes}) of at most maxBytes (${maxBytes}).`,
    );
  }
  let warned = false;
  return ({ contextWindowTokens }) => {
    if (contextWindowTokens === undefined && !warned) {
      warned = true;
      onWarning(
        `The model's context window is not known; ${fallbackContextWindowTokens} tokens are assumed. State contextWindowTokens to be exact.`,
      );
    }
    const windowTokens = contextWindowTokens ?? fallbackContextWindowTokens;
    const bytes = wholePart(fraction * bytesPerToken, windowTokens);
    return {
      bytes: Math.min(maxBytes, Math.max(minBytes, bytes)),
      reason: `${fraction} of a context window of ${windowTokens} tokens`,
    };
  };
}
