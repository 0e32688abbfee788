/** Longest message that is passed on, in UTF-16 code units. */
const MAX_MESSAGE_CHARACTERS = 1000;

const ERROR_LINE = /^jq: (?:parse )?error/;
/** How jq speaks of the body of a variable that it cannot read. */
const VARIABLE = /--slurpfile (\w{1,63}) \/dev\/stdin/;
const DEBUG_LINE = /^\["DEBUG:",/;

/** What a run printed beside its results. */
interface JqMessages {
  /** The first error, with the number of further ones. */
  readonly error: string | undefined;
  /** What `stderr` and `halt_error(0)` printed, which is no error. */
  readonly printed: string | undefined;
}

/**
 * The first error that jq printed, with the number of further ones, and what the filter printed itself. What `debug` prints is no error; what `halt_error` prints is one unless the exit code is 0.
 */
export function readJqErrors(stderr: string, exitCode: number): JqMessages {
  const lines = stderr.split("\n").filter((line) => !DEBUG_LINE.test(line));
  const first = lines.findIndex((line) => ERROR_LINE.test(line));
  if (first < 0) {
    const text = lines.join("\n").trim();
    if (exitCode === 0) {
      return { error: undefined, printed: text === "" ? undefined : shorten(text) };
    }
    const error = text === "" ? `jq ended with exit code ${exitCode}` : text;
    return { error: shorten(error.replace(VARIABLE, "$$$1")), printed: undefined };
  }
  const message = [lines[first] ?? ""];
  let further = 0;
  for (const line of lines.slice(first + 1)) {
    if (ERROR_LINE.test(line)) further += 1;
    else if (further === 0 && !/^jq: \d+ compile errors?$/.test(line)) message.push(line);
  }
  const suffix = further === 0 ? "" : ` (and ${further} more of ${further + 1} errors)`;
  const text = message.join("\n").trimEnd().replace(" (at /dev/stdin:", " (at data line ");
  return { error: shorten(text) + suffix, printed: undefined };
}

function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…`;
}
