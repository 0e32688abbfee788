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
  /^(?:(?:level|lvl|severity)[=:]"?|(?:##)?[[<(](?:\w{1,20}:)?|::)([A-Za-z]{3,11})(?![\w=]|-\w)/;
/** Or one that ends them: `warning:`, `error[E0308]:`, `warning CS0168:`, a column of a table. */
const ENDED = /^([A-Za-z][a-z]{2,10})(?:(?:\[\w{1,10}\])?:| [A-Z]{1,4}\d{1,5}:|\t| {2})/;
const LONGEST = 11;
/** What words in small letters begin with that are levels or lead to one. */
const STARTS: ReadonlySet<number> = new Set(
  ["al", "cr", "db", "de", "em", "er", "fa", "in", "le", "lv", "no", "pa", "se", "tr", "wa"].map(
    (letters) => pairOf(letters, 0),
  ),
);
/** What a level and its marks take. */
const MAX_LEVEL_CHARACTERS = 40;
/** How .NET writes that something failed. */
const FAIL = "fail";

/** The level that a word names which begins at `at` with the character `code`. */
export function levelAt(message: string, at: number, code: number): string | undefined {
  if (isSmall(code) && !(STARTS.has(pairOf(message, at)) && mayEndLevel(message, at)))
    return undefined;
  const word = message.slice(at, at + MAX_LEVEL_CHARACTERS);
  const capitals = CAPITALS.exec(word)?.[1];
  if (capitals !== undefined) return LEVELS[capitals];
  const name = (MARKED.exec(word) ?? ENDED.exec(word))?.[1];
  if (name === undefined) return undefined;
  return name === FAIL ? "ERROR" : LEVELS[name.toUpperCase()];
}

function pairOf(text: string, at: number): number {
  return text.charCodeAt(at) * 256 + text.charCodeAt(at + 1);
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Whether a word in small letters is short, and something stands after it that levels have there. */
function mayEndLevel(message: string, start: number): boolean {
  let at = start + 1;
  while (isSmall(message.charCodeAt(at)) && at - start <= LONGEST) at += 1;
  const code = message.charCodeAt(at);
  // A colon, an equals sign, a bracket, a tab.
  if (code === 58 || code === 61 || code === 91 || code === 9) return true;
  const next = message.charCodeAt(at + 1);
  return code === 32 && (next === 32 || (next >= 65 && next <= 90));
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
