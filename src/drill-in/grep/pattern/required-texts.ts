/** A few decide nearly every line. */
const MAX_TEXTS = 8;
/** Escapes that take a character or a place of their own. */
const CLASSES = "dDwWsSbB";
const NONE: readonly string[] = [];

/**
 * Texts that every line holds that a pattern of RE2's syntax takes, in this order and none within another. Fewer than
 * there are where the pattern is not plain; none is always right.
 *
 * @param pattern - One that RE2 takes, of which case matters.
 */
export function requiredTexts(pattern: string): readonly string[] {
  // Flags change the meaning of what follows, and braces may be a number of times.
  if (pattern.includes("(?") || pattern.includes("{")) return NONE;
  const texts: string[] = [];
  let text = "";
  let depth = 0;
  const end = (): void => {
    if (text !== "") texts.push(text);
    text = "";
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    let literal = "";
    if (character === "\\") {
      at += 1;
      const escaped = pattern[at] ?? "";
      if (isAlphanumeric(escaped) && !CLASSES.includes(escaped)) return NONE;
      if (!isAlphanumeric(escaped)) literal = escaped;
    } else if (character === "[") {
      at = endOfClass(pattern, at);
      if (at < 0) return NONE;
    } else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "|" && depth === 0) return NONE;
    else if (character === "*" || character === "?") text = text.slice(0, -1);
    else if (!"+.^$|".includes(character)) literal = character;
    // Of a group it is not known how often it comes; beyond ASCII a character may be two units.
    if (literal !== "" && depth === 0 && literal <= "~") text += literal;
    else end();
  }
  end();
  return texts.slice(0, MAX_TEXTS);
}

/** Whether a line holds such texts. */
export function holdsInOrder(line: string, texts: readonly string[]): boolean {
  let from = 0;
  for (const text of texts) {
    const at = line.indexOf(text, from);
    if (at < 0) return false;
    from = at + text.length;
  }
  return true;
}

/** Where a class of characters ends; -1 where that takes more than a look. */
function endOfClass(pattern: string, start: number): number {
  const first = pattern[start + 1] === "^" ? start + 2 : start + 1;
  const end = pattern.indexOf("]", first);
  const inside = pattern.slice(first, end);
  return end <= first || inside.includes("[") || inside.includes("\\") ? -1 : end;
}

function isAlphanumeric(character: string): boolean {
  return /^[A-Za-z0-9]$/.test(character);
}
