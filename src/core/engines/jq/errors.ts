/** Longest message that is passed on, in UTF-16 code units. */
const MAX_MESSAGE_CHARACTERS = 1000;

const ERROR_LINE = /^jq: (?:parse )?error/;
/** How jq speaks of the body of a variable that it cannot read. */
const VARIABLE = /--slurpfile (\w{1,63}) \/dev\/stdin/;
/** Where in the input it was, after the first words. */
const PLACE = / \(at \/dev\/stdin:(\d{1,15})\)/;
const DEBUG_LINE = /^\["DEBUG:",/;

/** What a run printed beside its results. */
interface JqMessages {
  /** The first error. */
  readonly error: string | undefined;
  /** The line of the data at which it came, from 1, where jq says it. */
  readonly errorLine?: number | undefined;
  /** What `stderr` and `halt_error(0)` printed, which is no error. */
  readonly printed: string | undefined;
}

/**
 * The first error that jq printed, and what the filter printed itself. What `debug` prints is no error; what
 * `halt_error` prints is one unless the exit code is 0.
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
  for (const line of lines.slice(first + 1)) {
    if (ERROR_LINE.test(line)) break;
    if (!/^jq: \d+ compile errors?$/.test(line)) message.push(line);
  }
  const text = message.join("\n").trimEnd();
  const [place = "", number] = PLACE.exec(text) ?? [];
  return {
    error: shorten(text.replace(place, "")),
    ...(number !== undefined && { errorLine: Number(number) }),
    printed: undefined,
  };
}

function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…`;
}

/** Counts the errors that jq prints, however many. */
export interface ErrorCount {
  push(bytes: Uint8Array): void;
  readonly count: () => number;
}

const BEGINNING = Buffer.from("jq: error");
const NEWLINE = 10;

/** Creates a counter of lines that begin as jq's errors do, in whatever parts they come. */
export function createErrorCount(): ErrorCount {
  let count = 0;
  /** Bytes of the beginning that the current line has so far; -1 when it begins in another way. */
  let matched = 0;
  return {
    push(bytes) {
      for (const byte of bytes) {
        if (byte === NEWLINE) matched = 0;
        else if (matched !== -1) matched = byte === BEGINNING[matched] ? matched + 1 : -1;
        if (matched !== BEGINNING.length) continue;
        count += 1;
        matched = -1;
      }
    },
    count: () => count,
  };
}
