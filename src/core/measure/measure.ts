import { OffloadError } from "../types/errors.js";
import { createCharactersMeasure } from "./characters.js";
import { ENCODINGS, type EncodingName } from "./encoding/encoding.js";
import { createFunctionMeasure } from "./function-measure.js";
import type { TokenMeasure } from "./token-measure.js";
import { createTokenizerMeasure } from "./tokenizer-measure.js";

export type { TokenMeasure } from "./token-measure.js";

/** A tokenizer by the name of its rank table, or `characters` for characters / 4. */
export type TokenizerName = EncodingName | "characters";

export interface MeasureOptions {
  /**
   * Counts tokens: an encoding by name, `"characters"` for characters / 4, or a function that returns the tokens of a
   * text. If a function throws or returns no number from 0 up, or an encoding cannot be loaded, characters / 4 are
   * used.
   *
   * @remarks Set it when your model counts otherwise, or outputs are few and a rough count is enough.
   * @defaultValue `"o200k_base"`
   */
  readonly tokenizer?: TokenizerName | ((text: string) => number) | undefined;
}

/**
 * Texts of no more bytes than the limit need no tokenizer.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for an unknown tokenizer.
 */
export function createMeasure(options: MeasureOptions = {}): TokenMeasure {
  const { tokenizer = "o200k_base" } = options;
  if (typeof tokenizer === "function") return createFunctionMeasure(tokenizer);
  if (tokenizer === "characters") return createCharactersMeasure(true);
  if (!Object.hasOwn(ENCODINGS, tokenizer)) {
    const names = [...Object.keys(ENCODINGS), "characters"].join(", ");
    throw new OffloadError(
      "INVALID_OPTIONS",
      `There is no tokenizer "${tokenizer}". Use one of ${names}, or a function.`,
    );
  }
  return createTokenizerMeasure(ENCODINGS[tokenizer]);
}

export function tokenCounter(
  measure: Pick<TokenMeasure, "count">,
): (text: string) => Promise<number> {
  return async (text) => (await measure.count(text)).tokens;
}
