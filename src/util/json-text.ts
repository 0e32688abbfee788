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
