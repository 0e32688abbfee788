/**
 * Lays out compact JSON text as jq does without `-c`: two spaces a level. Numbers, strings and key
 * order stay as they are written, unlike with parse and stringify.
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
        text += `${character}\n${"  ".repeat(depth)}`;
      }
    } else if (character === "]" || character === "}") {
      depth -= 1;
      text += `\n${"  ".repeat(depth)}${character}`;
    } else if (character === ",") {
      text += `,\n${"  ".repeat(depth)}`;
    } else {
      text += character === ":" ? ": " : character;
    }
  }
  return text;
}

/** Index after the closing quote of the string that opens at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
