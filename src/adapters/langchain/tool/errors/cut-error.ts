import { grouped } from "../../../../util/amounts.js";
import { wholeCharactersEnd } from "../../../../util/safe-text.js";

/** Longest text of a tool's error that the model is shown, in UTF-16 code units. */
const MAX_ERROR_CHARACTERS = 8000;

/** Faults that a validator of arguments lists and the model is shown; the others are alike as a rule. */
const MAX_FAULTS = 3;
/** How zod begins the lines of a fault. */
const FAULT = "✖ ";
const PLACE = "  → at ";

/**
 * The text of a tool's error, without its middle when it is long, and with the first three of the faults that zod lists: a
 * validator may print a line for each of thousands of values, or the arguments themselves. The whole is nowhere else, so
 * both ends stay: one names the error, at the other are the last lines of a program or of a stack.
 */
export function cutError(given: string): string {
  const text = withFirstFaults(given);
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  const size = grouped(text.length);
  const half = MAX_ERROR_CHARACTERS / 2;
  const head = text.slice(0, wholeCharactersEnd(text, half));
  const tail = text.slice(wholeCharactersEnd(text, text.length - half));
  return `${head}\n[cut: this error has ${size} characters, here is its end]\n${tail}`;
}

function withFirstFaults(text: string): string {
  const lines = text.split("\n");
  const faults = lines.flatMap((line, index) => (line.startsWith(FAULT) ? [index] : []));
  const [first] = faults.slice(MAX_FAULTS);
  const last = faults.at(-1);
  if (first === undefined || last === undefined) return text;
  const after = lines[last + 1]?.startsWith(PLACE) === true ? last + 2 : last + 1;
  const more = `… and ${grouped(faults.length - MAX_FAULTS)} more`;
  return [...lines.slice(0, first), more, ...lines.slice(after)].join("\n");
}
