import { endOfString } from "../../content/json/json-text.js";
import type { Outline } from "./outline.js";
import { structureOutline } from "./structure.js";

const MIN_LINES = 20;

export function jsonOutline(text: string, lineCount: number): Outline | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const lines = lineCount < MIN_LINES ? undefined : keyLines(text);
  return structureOutline(value, ([key, ...rest]) =>
    key === undefined || rest.length > 0 ? undefined : lines?.get(key),
  );
}

function keyLines(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let [line, depth, isKeyNext] = [1, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\n") line += 1;
    else if (character === "{" || character === "[") {
      depth += 1;
      isKeyNext = character === "{" && depth === 1;
    } else if (character === "}" || character === "]") depth -= 1;
    else if (character === "," && depth === 1) isKeyNext = true;
    else if (character === '"') {
      const end = endOfString(text, at);
      if (isKeyNext && depth === 1) found.set(String(JSON.parse(text.slice(at, end))), line);
      isKeyNext = false;
      at = end - 1;
    }
  }
  return found;
}
