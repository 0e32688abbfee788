/** What lies deeper stays on one line, so that the text does not grow with the square of its depth. */
const MAX_INDENTED_LEVELS = 32;

/**
 * Lays out compact JSON text as jq does without `-c`: two spaces a level, for the first 32 levels. Numbers,
 * strings and key order stay as they are written, unlike with parse and stringify.
 */
export function prettyJson(compact: string): string {
  let depth = 0;
  let text = "";
  let at = 0;
  while (at < compact.length) {
    const character = compact[at] ?? "";
    if (character === '"') {
      const end = stringEnd(compact, at);
      text += compact.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
    if (character === "[" || character === "{") {
      const next = compact[at];
      if (next === "]" || next === "}") {
        text += character + next;
        at += 1;
      } else {
        depth += 1;
        text += character + lineEnd(depth);
      }
    } else if (character === "]" || character === "}") {
      text += (depth > MAX_INDENTED_LEVELS ? "" : lineEnd(depth - 1)) + character;
      depth -= 1;
    } else if (character === ",") {
      text += character + lineEnd(depth);
    } else {
      text += character === ":" && depth <= MAX_INDENTED_LEVELS ? ": " : character;
    }
  }
  return text;
}

function lineEnd(depth: number): string {
  return depth > MAX_INDENTED_LEVELS ? "" : `\n${"  ".repeat(depth)}`;
}

/** Index after the closing quote of the string that opens at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
