import { atOnce } from "../../util/at-once.js";
import { messageOf } from "../../util/error-message.js";
import { warnOnce } from "../../util/warn-once.js";
import type { Measurement } from "../types/content.js";
import { charactersAsTokens, charactersCounter, longestFit } from "./characters.js";
import type { Counter } from "./counter.js";
import { ENCODINGS, type EncodingName } from "./encoding/encoding.js";
import type { Encoding } from "./encoding/rank-index.js";
import { encodingCounter } from "./encoding-counter.js";

/** Returns a promise only while a tokenizer is loading. Never throws or rejects. */
export interface TokenMeasure {
  /** The work is bounded by the limit, not by the text. */
  readonly measure: (text: string, limitTokens: number) => Measurement | Promise<Measurement>;
  /** Estimates long texts. */
  readonly count: (text: string) => Measurement | Promise<Measurement>;
  /** A prefix in UTF-16 units, never inside a surrogate pair. */
  readonly fit: (text: string, limitTokens: number) => number | Promise<number>;
}

/** A tokenizer by the name of its rank table, or `characters` for characters / 4. */
export type TokenizerName = EncodingName | "characters";

export interface MeasureOptions {
  /**
   * Counts tokens: an encoding by name, `"characters"` for characters / 4, or a function that returns the tokens of a
   * text. If a function throws or returns not a number from 0 up, or an encoding cannot be loaded, characters / 4 are
   * used.
   *
   * @remarks Set it when your model counts otherwise, or outputs are few and a rough count is enough.
   * @defaultValue `"o200k_base"`
   */
  readonly tokenizer?: TokenizerName | ((text: string) => number);
}

/** Texts of no more bytes than the limit need no tokenizer. */
export function createMeasure({ tokenizer = "o200k_base" }: MeasureOptions = {}): TokenMeasure {
  if (typeof tokenizer === "function") return measureBy(() => functionCounter(tokenizer));
  if (tokenizer === "characters") return measureBy(() => charactersCounter(true));
  const load = loaders.get(tokenizer) ?? lazyCounter(ENCODINGS[tokenizer]);
  loaders.set(tokenizer, load);
  return createTokenizerMeasure(load);
}

type LazyCounter = () => Counter | Promise<Counter>;

const loaders = new Map<EncodingName, LazyCounter>();

/** Loads once. A promise only while it is loading. */
export function lazyCounter(load: () => Promise<Encoding>): LazyCounter {
  let counter: Counter | Promise<Counter> | undefined;
  return () =>
    (counter ??= load()
      .then(encodingCounter)
      .catch(() => FALLBACK)
      .then((loaded) => (counter = loaded)));
}

/** If a counter cannot be loaded or throws, this one is asked. */
const FALLBACK = charactersCounter(false);

function measureBy(load: LazyCounter): TokenMeasure {
  function ask<Result>(question: (counter: Counter) => Result): Result | Promise<Result> {
    const answer = (counter: Counter): Result => {
      try {
        return question(counter);
      } catch {
        // Must not fail a tool call.
        return question(FALLBACK);
      }
    };
    const loaded = load();
    return loaded instanceof Promise ? loaded.then(answer) : answer(loaded);
  }

  return {
    measure: (text, limitTokens) => ask((counter) => counter.measure(text, limitTokens)),
    count: (text) => ask((counter) => counter.measure(text, 0)),
    fit: (text, limitTokens) => ask((counter) => counter.fit(text, limitTokens)),
  };
}

export function createTokenizerMeasure(load: LazyCounter): TokenMeasure {
  const measure = measureBy(load);
  return {
    ...measure,
    measure: (text, limitTokens) =>
      // Small outputs load no tokenizer.
      bytesFit(text, limitTokens)
        ? {
            characters: text.length,
            tokens: charactersAsTokens(text),
            exact: text === "",
            overLimit: false,
          }
        : measure.measure(text, limitTokens),
    fit: (text, limitTokens) =>
      bytesFit(text, limitTokens) ? text.length : measure.fit(text, limitTokens),
  };
}

/** Whether a text has at most so many UTF-8 bytes. */
export function bytesFit(text: string, limit: number): boolean {
  if (text.length * MAX_BYTES_PER_UNIT <= limit) return true;
  // The bytes of long texts need no count.
  return text.length <= limit && Buffer.byteLength(text) <= limit;
}

const MAX_BYTES_PER_UNIT = 3;

/**
 * Fractions are rounded up, to at most `Number.MAX_SAFE_INTEGER`. Warns once a process if the function throws or
 * returns no finite number from 0 up.
 */
function functionCounter(countText: (text: string) => number): Counter {
  function count(text: string): number {
    try {
      const tokens = atOnce("tokenizer", countText(text));
      if (!(Number.isFinite(tokens) && tokens >= 0)) throw new RangeError("not a number from 0 up");
      return Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER);
    } catch (error) {
      warnOnce(`tokenizer failed: ${messageOf(error)}. Characters / 4 are used instead.`);
      throw error;
    }
  }
  return {
    measure(text, limitTokens) {
      const tokens = count(text);
      return { characters: text.length, tokens, exact: true, overLimit: tokens > limitTokens };
    },
    fit: (text, limitTokens) => longestFit(text, limitTokens, count),
  };
}
