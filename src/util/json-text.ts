export class JsonText {
  readonly text: string;

  /** @throws SyntaxError when the text is no JSON. */
  constructor(text: string) {
    JSON.parse(text);
    this.text = text;
  }
}

/** `undefined` for a value without JSON, such as a function. */
export function jsonTextOf(value: unknown): string | undefined {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** With deep nesting, the indents are much longer than the text. */
const MAX_PRETTY_CHARACTERS = 16_384;

/** JSON over several lines, where each token keeps its spelling; long JSON and any other text as it is. */
export function prettyJson(text: string): string {
  try {
    if (text.length > MAX_PRETTY_CHARACTERS) return text;
    const value: unknown = JSON.parse(text);
    const isSame = withoutBlanks(JSON.stringify(value)) === withoutBlanks(text);
    return isSame ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, "");
}
