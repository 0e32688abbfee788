import { charactersAsTokens, createCharactersMeasure } from "./characters.js";
import { countTokens } from "./count-tokens.js";
import type { Encoding, LazyEncoding } from "./encoding/encoding.js";
import { estimateTokens, EXACT_CHARACTERS, totalTokens } from "./estimate-tokens.js";
import { fitTokens } from "./fit-tokens.js";
import type { SyncTokenMeasure, TokenMeasure } from "./token-measure.js";
import type { Measurement } from "../types/content.js";

/** If the tokenizer cannot be loaded or throws, characters / 4 are used, as inexact. */
export function createTokenizerMeasure(lazyEncoding: LazyEncoding): TokenMeasure {
  const fallback = createCharactersMeasure(false);

  function ask<Result>(question: (measure: SyncTokenMeasure) => Result): Result | Promise<Result> {
    const answer = (encoding: Encoding | undefined): Result => {
      try {
        if (encoding !== undefined) return question(encodingMeasure(encoding));
      } catch {
        // Must not fail a tool call.
      }
      return question(fallback);
    };
    const loaded = lazyEncoding();
    return loaded instanceof Promise ? loaded.then(answer) : answer(loaded);
  }

  return {
    measure: (text, limitTokens) =>
      bytesFit(text, limitTokens)
        ? inlineMeasurement(text)
        : ask((measure) => measure.measure(text, limitTokens)),
    count: (text) => ask((measure) => measure.count(text)),
    fit: (text, limitTokens) =>
      bytesFit(text, limitTokens) ? text.length : ask((measure) => measure.fit(text, limitTokens)),
  };
}

function encodingMeasure(encoding: Encoding): SyncTokenMeasure {
  return {
    measure: (text, limitTokens) => measureTokens(encoding, text, limitTokens),
    count: (text) => totalTokens(encoding, text),
    fit: (text, limitTokens) => fitTokens(encoding, text, limitTokens),
  };
}

function bytesFit(text: string, limitTokens: number): boolean {
  if (text.length * MAX_BYTES_PER_UNIT <= limitTokens) return true;
  // The bytes of long texts need no count.
  return text.length <= limitTokens && Buffer.byteLength(text, "utf8") <= limitTokens;
}

const MAX_BYTES_PER_UNIT = 3;

/** Small outputs load no tokenizer. */
function inlineMeasurement(text: string): Measurement {
  return {
    characters: text.length,
    tokens: charactersAsTokens(text),
    exact: text.length === 0,
    overLimit: false,
  };
}

function measureTokens(encoding: Encoding, text: string, limitTokens: number): Measurement {
  const characters = text.length;
  if (characters <= EXACT_CHARACTERS) {
    const { tokens } = countTokens(encoding, text);
    return { characters, tokens, exact: true, overLimit: tokens > limitTokens };
  }
  const estimate = estimateTokens(encoding, text);
  // Tokens have a maximum length.
  const mayFit = characters <= encoding.ranks.maxTokenBytes * limitTokens;
  if (mayFit && estimate.atLeast <= limitTokens) {
    const counted = countTokens(encoding, text, limitTokens);
    if (!counted.overLimit) {
      return { characters, tokens: counted.tokens, exact: true, overLimit: false };
    }
  }
  // The estimate may be below what was counted.
  const tokens = Math.max(estimate.tokens, Math.floor(limitTokens) + 1);
  return { characters, tokens, exact: false, overLimit: true };
}
