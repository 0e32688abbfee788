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

/** JSON over several lines, where each token keeps its spelling; any other text as it is. */
export function prettyJson(text: string): string {
  try {
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
