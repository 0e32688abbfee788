/**
 * Characters that are invisible or change how the text around them is shown: C1 controls, soft
 * hyphen, bidirectional controls, zero-width characters, line separators, and Unicode tags.
 * `JSON.stringify` escapes only C0 and lone surrogates.
 */
const INVISIBLE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** JSON with control, bidirectional and invisible characters escaped. The value must be JSON data. */
export function safeJson(value: unknown, spaces: number = 0): string {
  return JSON.stringify(value, undefined, spaces).replaceAll(INVISIBLE, (found) =>
    found.split("").map(escapeUnit).join(""),
  );
}

/**
 * Unsafe on a terminal or page: controls other than tab and line feed (they begin escape
 * sequences), bidirectional, invisible and private characters, line separators, lone surrogates.
 */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/**
 * Escapes each unsafe character, as in `\u001b`. A carriage return before a line feed is dropped; a
 * single one is escaped, because it would overwrite the line.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}

// oxlint-disable-next-line no-control-regex -- what terminals read as a colour
const STYLE = /\u001b\[[\d;]{0,16}m/g;

/** Without the colours and weights of a terminal. */
export function plainText(text: string): string {
  return text.replaceAll(STYLE, "");
}

/** The end of a prefix of at most `maxCharacters` UTF-16 units that splits no surrogate pair. */
export function wholeCharactersEnd(text: string, maxCharacters: number): number {
  const end = Math.max(0, Math.min(text.length, Math.floor(maxCharacters)));
  const splitsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return splitsPair ? end - 1 : end;
}

/** `maxCharacters` are UTF-16 units, including the `…`. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, wholeCharactersEnd(text, maxCharacters - 1))}…`;
}

/** In UTF-16 units. */
export const MAX_NAME_CHARACTERS = 300;

export function shortName(name: string): string {
  return shorten(name, MAX_NAME_CHARACTERS);
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", () => String.raw`'\''`)}'`;
}
