import { shorten } from "../../../util/safe-text.js";
import { grouped } from "../../../util/amounts.js";

/** Longest text of a tool's error that the model is shown, in UTF-16 code units. */
const MAX_ERROR_CHARACTERS = 8000;

/**
 * The text of a tool's error, without its end when it is long: a validator may print a line for each
 * of thousands of values, or the arguments themselves.
 */
export function cutError(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  const size = grouped(text.length);
  return `${shorten(text, MAX_ERROR_CHARACTERS)}\n[cut: this error has ${size} characters]`;
}
