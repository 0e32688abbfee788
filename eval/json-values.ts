/** A number as people and models write it: with a sign, thousands separators, without a zero before the point. */
const NUMBER =
  /(?<![\w.])[-+\u2212]?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?/iy;
/** Braces and brackets that hold no JSON which are looked at, so that the work grows with the text. */
const MAX_FAILURES = 50;

/** The objects, lists and numbers that stand in a text, in order, those within others left out. */
export function jsonValuesIn(text: string): unknown[] {
  const values: unknown[] = [];
  let failures = 0;
  for (let at = 0; at < text.length;) {
    const opens = text[at] === "{" || text[at] === "[";
    const found = opens ? blockAt(text, at) : numberAt(text, at);
    if (found === undefined) at += 1;
    else {
      values.push(found.value);
      at = found.end;
    }
    if (opens && found === undefined) failures += 1;
    if (failures > MAX_FAILURES) break;
  }
  return values;
}

interface FoundValue {
  readonly value: unknown;
  readonly end: number;
}

function numberAt(text: string, start: number): FoundValue | undefined {
  NUMBER.lastIndex = start;
  const [spelled] = NUMBER.exec(text) ?? [];
  if (spelled === undefined) return undefined;
  const value = Number(spelled.replaceAll(",", "").replace("\u2212", "-"));
  return { value, end: start + spelled.length };
}

function blockAt(text: string, start: number): FoundValue | undefined {
  const end = endOfBlock(text, start);
  if (end === undefined) return undefined;
  try {
    return { value: JSON.parse(text.slice(start, end)), end };
  } catch {
    return undefined;
  }
}

/** Past the bracket that closes the one at `start`, those in texts left out; `undefined` if it is not near. */
export function endOfBlock(
  text: string,
  start: number,
  maxCharacters: number = text.length,
): number | undefined {
  let depth = 0;
  let inText = false;
  const limit = Math.min(text.length, start + maxCharacters);
  for (let at = start; at < limit; at += 1) {
    const character = text[at] ?? "";
    if (inText) {
      if (character === "\\") at += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
