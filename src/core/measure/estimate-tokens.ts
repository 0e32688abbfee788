import type { TokenCount } from "../types/content.js";
import { countTokens, createPieceCounter } from "./count-tokens.js";
import type { Encoding } from "./encoding/encoding.js";
import { isPieceBoundary, segmentEnd, splitsSurrogatePair } from "./segments.js";

/** In UTF-16 units; about 2 ms. */
export const EXACT_CHARACTERS = 32_768;

export function totalTokens(encoding: Encoding, text: string): TokenCount {
  return text.length <= EXACT_CHARACTERS
    ? { tokens: countTokens(encoding, text).tokens, exact: true }
    : { tokens: estimateTokens(encoding, text).tokens, exact: false };
}

/**
 * From 32 evenly spread windows of 512 characters, or half of them if they have many tokens. Off by a few percent for
 * uniform text. `atLeast` counts windows that cut no piece.
 */
export function estimateTokens(
  encoding: Encoding,
  text: string,
): { readonly tokens: number; readonly atLeast: number } {
  let tokens = 0;
  let characters = 0;
  let atLeast = 0;
  const countPiece = createPieceCounter(encoding);
  const stride = (text.length - WINDOW_CHARACTERS) / (WINDOWS - 1);
  for (const window of EVEN_THEN_ODD) {
    if (window === 1 && tokens >= ENOUGH_TOKENS) break;
    const nominalStart = Math.floor(window * stride);
    const start = windowStart(text, nominalStart);
    const end = segmentEnd(text, start, nominalStart + WINDOW_CHARACTERS - start);
    const counted = countTokens(encoding, text.slice(start, end), Infinity, countPiece).tokens;
    tokens += counted;
    characters += end - start;
    if (cutsNoPiece(text, start) && cutsNoPiece(text, end)) atLeast += counted;
  }
  return { tokens: Math.round((tokens * text.length) / characters), atLeast };
}

function cutsNoPiece(text: string, index: number): boolean {
  return index === 0 || index === text.length || isPieceBoundary(text, index);
}

const WINDOWS = 32;
const EVEN_THEN_ODD = [0, 1].flatMap((first) =>
  Array.from({ length: WINDOWS / 2 }, (_, half) => 2 * half + first),
);
const ENOUGH_TOKENS = 4_096;
const WINDOW_CHARACTERS = 512;
const MAX_START_SHIFT = 128;

function windowStart(text: string, nominalStart: number): number {
  if (nominalStart === 0) return 0;
  for (let start = nominalStart; start < nominalStart + MAX_START_SHIFT; start++) {
    if (isPieceBoundary(text, start)) return start;
  }
  return splitsSurrogatePair(text, nominalStart) ? nominalStart + 1 : nominalStart;
}
