const LEVELS: Readonly<Record<string, string>> = {
  TRACE: "TRACE",
  TRCE: "TRACE",
  TRC: "TRACE",
  DEBUG: "DEBUG",
  DEBU: "DEBUG",
  DBUG: "DEBUG",
  DBG: "DEBUG",
  INFO: "INFO",
  INF: "INFO",
  INFORMATION: "INFO",
  NOTICE: "NOTICE",
  WARN: "WARN",
  WARNING: "WARN",
  WRN: "WARN",
  ERR: "ERROR",
  ERRO: "ERROR",
  ERROR: "ERROR",
  FATAL: "FATAL",
  FATA: "FATAL",
  FTL: "FATAL",
  CRITICAL: "CRITICAL",
  CRIT: "CRITICAL",
  SEVERE: "SEVERE",
  PANIC: "PANIC",
  EMERG: "EMERG",
  EMERGENCY: "EMERG",
  ALERT: "ALERT",
};
const BAD = new Set(["ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "EMERG", "ALERT"]);

/** A level alone in its word, and no part of a name such as `ERROR_COUNT`. */
const CAPITALS = /^(?:[^\w]?|\]\[)([A-Z]{3,11})(?![\w=]|-\w)/;
/** Others need a mark that leads to them: `level=warn`, `[error]`, `[core:error]`, `##[error]`, `::error`. */
const MARKED =
  /^(?:(?:level|lvl|severity)[=:]"?|(?:##)?[[<](?:\w{1,20}:)?|::)([A-Za-z]{3,11})(?![\w=]|-\w)/;
/** Behind the name of a logger: ` - ERROR - `. */
const BETWEEN_DASHES = /^([A-Z]{3,11}) - /;
/** Or one that ends them: `warning:`, `fatal error:`, `error[E0308]:`, `warning CS0168:`, a column. */
const ENDED =
  /^(?:PHP )?(?:[Ff]atal )?([A-Za-z][a-z]{2,10})(?:(?:\[\w{1,10}\])?:| [A-Z]{1,4}\d{1,5}:|\t| {2})/;
/** What a level and its marks take. */
const MAX_LEVEL_CHARACTERS = 40;
/** How .NET writes that something failed. */
const FAIL = "fail";

/**
 * The level that stands in its place at `at`: behind the time and the source, which are no words of a sentence, or marked as
 * one.
 *
 * @param isBehindWords - Whether a word of letters alone stands before it.
 */
export function levelAt(message: string, at: number, isBehindWords: boolean): string | undefined {
  const word = message.slice(at, at + MAX_LEVEL_CHARACTERS);
  if (isBehindWords) {
    const isDashed = message.startsWith("- ", at - 2);
    const found = (isDashed ? BETWEEN_DASHES.exec(word) : null) ?? MARKED.exec(word);
    return LEVELS[found?.[1]?.toUpperCase() ?? ""];
  }
  const level = LEVELS[CAPITALS.exec(word)?.[1] ?? ""];
  if (level !== undefined) return level;
  const name = (MARKED.exec(word) ?? ENDED.exec(word))?.[1];
  return name === FAIL ? "ERROR" : LEVELS[name?.toUpperCase() ?? ""];
}

/** Letters before a date, of klog and glog, and what npm writes. */
const LINE_START = /^(?:([IWEF])\d{4}(?:\d{4})? |npm (warn|error) )/;
const STATUS = /^" ([1-5])\d\d (?:\d|-)/;
const SHORT_NAMES: Readonly<Record<string, string>> = {
  I: "INFO",
  W: "WARN",
  E: "ERROR",
  F: "FATAL",
};

/** The level of a line of which no word names it. */
export function otherLevel(line: string): string | undefined {
  const [, letter, name] = LINE_START.exec(line) ?? [];
  if (letter !== undefined) return SHORT_NAMES[letter];
  if (name !== undefined) return LEVELS[name.toUpperCase()];
  const quote = line.indexOf('" ');
  const status = quote === -1 ? undefined : STATUS.exec(line.slice(quote, quote + 8))?.[1];
  return status === undefined ? undefined : `status ${status}xx`;
}

export function isBad(level: string): boolean {
  return BAD.has(level);
}

/** 0 for errors, 1 for warnings, 2 for others. */
export function severityOf(level: string | undefined): number {
  if (level === undefined) return 2;
  return BAD.has(level) ? 0 : level === "WARN" ? 1 : 2;
}
