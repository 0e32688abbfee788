/**
 * Characters of an output that a terminal or a reader of logs obeys instead of showing: C0 controls but tab, line
 * feed and a carriage return before one, DEL, C1 controls, bidirectional controls and line separators.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n|$)/g;

/** `\u{2028}`. */
const LONGEST_ESCAPE = 8;

/** What an answer says when characters of it are shown as escapes. */
export const ESCAPED_NOTE: string =
  "Control characters are shown as \\u{…}, and a backslash before u{ as \\u{5c}; references pass them as they are.";

/** The part of an output as it may be shown, and whether anything in it is shown as an escape. */
export interface ShownText {
  readonly text: string;
  readonly isEscaped: boolean;
}

/**
 * Shows control characters as `\u{1b}`. Where any is, a backslash before `u{` becomes `\u{5c}`, so that
 * {@link unescapeText} gives the text back; a text without one stays as it is.
 */
export function escapeText(text: string): ShownText {
  return text.search(UNSEEN) === -1
    ? { text, isEscaped: false }
    : { text: escaped(text), isEscaped: true };
}

/** The same for texts that stand in one answer, each with a line end of the answer's own: a carriage return before it is the text's. */
export function escapeTexts(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly isEscaped: boolean;
} {
  const isEscaped = texts.some((text) => text.endsWith("\r") || text.search(UNSEEN) !== -1);
  return { texts: isEscaped ? texts.map(escapedWhole) : texts, isEscaped };
}

/** JSON text of the same value with every such character as JSON's own escape. */
export function escapeJson(json: string): string {
  return json.replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Length of the longest prefix of at most `length` UTF-16 units that ends in no escape. */
export function wholeEscapes(text: string, length: number): number {
  const start = text.lastIndexOf("\\u{", length - 1);
  const end = start === -1 ? -1 : text.indexOf("}", start);
  return start !== -1 && start > length - LONGEST_ESCAPE && end >= length ? start : length;
}

/** The text that {@link escapeText} has shown. */
export function unescapeText(text: string): string {
  return text.replaceAll(/\\u\{([0-9a-f]{1,4})\}/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function escaped(text: string): string {
  return text.replaceAll("\\u{", "\\u{5c}u{").replaceAll(UNSEEN, escapeOf);
}

function escapedWhole(text: string): string {
  return escaped(text).replace(/\r$/, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u{${character.charCodeAt(0).toString(16)}}`;
}
