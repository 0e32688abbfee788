import { escapeUnit } from "../../util/safe-text.js";

/**
 * What terminals interpret: C0 controls except tab, line feed and a return before one, DEL, C1 and bidirectional
 * controls, line separators.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g;

export const ESCAPED_NOTE: string =
  "Control characters are shown as \\u{…}, and a backslash before u{ as \\u{5c}; references pass them as they are.";

/** As `\u{1b}`; then a backslash before `u{` becomes `\u{5c}`, so that the text can be restored. */
export function escapeText(text: string): {
  readonly text: string;
  readonly isEscaped: boolean;
} {
  const { texts, isEscaped } = escapeTexts([text]);
  return { text: texts.join(""), isEscaped };
}

export function escapeTexts(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly isEscaped: boolean;
} {
  const isEscaped = texts.some((text) => text.search(UNSEEN) !== -1);
  return { texts: isEscaped ? texts.map(escaped) : texts, isEscaped };
}

export function escapeJson(json: string): string {
  return json.replaceAll(UNSEEN, escapeUnit);
}

function escaped(text: string): string {
  return text
    .replaceAll("\\u{", "\\u{5c}u{")
    .replaceAll(UNSEEN, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}
