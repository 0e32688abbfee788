import { refuseOptions } from "../../types/errors.js";
import {
  callback,
  checkedOptions,
  fraction as part,
  optionsOf,
  size,
} from "../../../util/option-rules.js";
import type { Gate } from "../gate.js";
import { ASSUMED_WINDOW, DEFAULT_CONTEXT_WINDOW_TOKENS, wholePart } from "../window-room.js";

/** A limit that grows with the model's context window. */
export interface ContextShareOptions {
  /** Largest part of the context window, at 4 bytes a token, that one output may take, from 0 to 1. */
  readonly fraction: number;
  /** Lower bound of the limit, in UTF-8 bytes. */
  readonly minBytes: number;
  /** Upper bound of the limit, in UTF-8 bytes. */
  readonly maxBytes: number;
  /**
   * Called once, when a window has to be assumed.
   *
   * @defaultValue a warning of the process
   */
  readonly onWarning?: (message: string) => void;
}

/** Converts a window in tokens to bytes. */
const BYTES_PER_TOKEN = 4;

const schema = optionsOf({
  fraction: part,
  minBytes: size,
  maxBytes: size,
  onWarning: callback.optional(),
});

/**
 * Limits an output to a share of the context window in bytes, between a floor and a ceiling. An output of exactly the
 * limit stays inline. An unknown window counts as 128,000 tokens, with one warning.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a number is out of range, or the floor is above the
 * ceiling.
 */
export function contextShare(options: ContextShareOptions): Gate {
  const {
    fraction,
    minBytes,
    maxBytes,
    onWarning = (message) => process.emitWarning(message),
  } = checkedOptions<ContextShareOptions>("contextShare", schema, options);
  if (minBytes > maxBytes) {
    refuseOptions(`contextShare needs minBytes (${minBytes}) of at most maxBytes (${maxBytes}).`);
  }
  let warned = false;
  return ({ contextWindowTokens }) => {
    if (contextWindowTokens === undefined && !warned) {
      warned = true;
      onWarning(ASSUMED_WINDOW);
    }
    const windowTokens = contextWindowTokens ?? DEFAULT_CONTEXT_WINDOW_TOKENS;
    const bytes = wholePart(fraction * BYTES_PER_TOKEN, windowTokens);
    return {
      bytes: Math.min(maxBytes, Math.max(minBytes, bytes)),
      reason: `${fraction} of a context window of ${windowTokens} tokens`,
    };
  };
}
