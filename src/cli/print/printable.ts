/**
 * What must not reach a terminal from somebody else's data: controls other than tab and line feed
 * (escape sequences begin with one), bidirectional and invisible characters, line separators, lone
 * surrogates.
 */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * The text with each unsafe character as its escape, such as `\u001b`. A carriage return before a line
 * feed goes, one by itself is escaped: it would write over the line.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, escaped);
}

/** The same on one line, for a cell of a table. */
export function printableLine(text: string): string {
  return printable(text)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
