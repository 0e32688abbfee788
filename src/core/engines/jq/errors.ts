import { shorten } from "../../../util/safe-text.js";

/** Longest message that is passed on, in UTF-16 code units. */
const MAX_MESSAGE_CHARACTERS = 1000;

const ERROR_LINE = /^jq: (?:parse )?error/;
const VARIABLE = /--slurpfile (\w{1,63}) \/dev\/stdin/;
const PLACE = / \(at \/dev\/stdin:\d{1,15}\)/;
const DEBUG_LINE = /^\["DEBUG:",/;

/**
 * The first error that jq printed; `undefined` where there is none. What `debug` and `stderr` print is no error; what
 * `halt_error` prints is one unless the exit code is 0.
 */
export function readJqError(stderr: string, exitCode: number): string | undefined {
  const lines = stderr.split("\n").filter((line) => !DEBUG_LINE.test(line));
  const first = lines.findIndex((line) => ERROR_LINE.test(line));
  if (first < 0) {
    if (exitCode === 0) return undefined;
    const text = lines.join("\n").trim() || `jq ended with exit code ${exitCode}`;
    return shorten(text.replace(VARIABLE, "$$$1"), MAX_MESSAGE_CHARACTERS);
  }
  const next = lines.findIndex((line, at) => at > first && ERROR_LINE.test(line));
  const text = lines
    .slice(first, next < 0 ? undefined : next)
    .filter((line) => !/^jq: \d+ compile errors?$/.test(line))
    .join("\n");
  return shorten(text.trimEnd().replace(PLACE, ""), MAX_MESSAGE_CHARACTERS);
}
