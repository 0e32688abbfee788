import type { SyncTokenMeasure } from "./token-measure.js";

/**
 * Characters / 4, rounded up; estimated for more than 4 Mi UTF-16 units that are not ASCII.
 *
 * @param exact - `false` if this measure replaces another one.
 */
export function createCharactersMeasure(exact: boolean): SyncTokenMeasure {
  return {
    measure: (text, limitTokens) => {
      const isCounted = text.length <= MAX_COUNTED_UNITS || Buffer.byteLength(text) === text.length;
      const codePoints = isCounted ? countCodePoints(text) : estimateCodePoints(text);
      return {
        characters: text.length,
        tokens: Math.ceil(codePoints / CHARACTERS_PER_TOKEN),
        exact: exact && isCounted,
        overLimit: codePoints > limitTokens * CHARACTERS_PER_TOKEN,
      };
    },
    count: (text) => ({ tokens: charactersAsTokens(text), exact }),
    fit: (text, limitTokens) => codePointsEnd(text, limitTokens * CHARACTERS_PER_TOKEN),
  };
}

export function charactersAsTokens(text: string): number {
  return Math.ceil(countCodePoints(text) / CHARACTERS_PER_TOKEN);
}

/** @source LRO specification, threshold detection: tokens ~ characters / 4 for Latin script. */
export const CHARACTERS_PER_TOKEN = 4;

/** Counted in a few milliseconds. */
const MAX_COUNTED_UNITS = 4_194_304;

/** At least half of the units. */
function estimateCodePoints(text: string): number {
  const beginning = text.slice(0, MAX_COUNTED_UNITS);
  return Math.ceil((countCodePoints(beginning) * text.length) / beginning.length);
}

function countCodePoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let pairs = 0;
  for (let index = text.search(HIGH_SURROGATE); index < text.length; index++) {
    if (isSurrogatePair(text, index)) {
      pairs++;
      index++;
    }
  }
  return text.length - pairs;
}

function codePointsEnd(text: string, maxCodePoints: number): number {
  if (text.length <= maxCodePoints) return text.length;
  let end = 0;
  for (let used = 1; used <= maxCodePoints && end < text.length; used++) {
    end += isSurrogatePair(text, end) ? 2 : 1;
  }
  return end;
}

function isSurrogatePair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  );
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;
