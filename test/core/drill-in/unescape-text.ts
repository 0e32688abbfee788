/** A cell of SQL as it was. */
export function cellOf(shown: string): string {
  return shown.replaceAll(/\\(.)/g, (_, mark: string) =>
    mark === "n" ? "\n" : mark === "r" ? "\r" : mark,
  );
}

/** The text that an answer shows with its control characters as escapes. */
export function unescapeText(text: string): string {
  return text.replaceAll(/\\u\{([0-9a-f]{1,4})\}/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
