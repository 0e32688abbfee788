const QUOTED_KEY = /^(?:"(?:[^"\\]|\\.){0,100}"|'[^']{0,100}') ?:(?= |$)/;
const NO_KEY = new Set(" #&*!|>%@`{}[],");
const MAX_KEY_CHARACTERS = 200;
const SPACE = 32;

/** Where the colon of a key stands that a text begins with; -1 for none. */
export function endOfKey(text: string): number {
  const first = text[0] ?? " ";
  if (first === '"' || first === "'") return (QUOTED_KEY.exec(text)?.[0].length ?? 0) - 1;
  if (NO_KEY.has(first)) return -1;
  let end = text.indexOf(":", 1);
  while (end !== -1 && end < text.length - 1 && text.charCodeAt(end + 1) !== SPACE)
    end = text.indexOf(":", end + 1);
  if (end > MAX_KEY_CHARACTERS) return -1;
  const remark = text.indexOf(" #");
  return remark === -1 || remark > end ? end : -1;
}

/** Anchors and tags before a value. */
export const PROPERTIES: RegExp = /^(?:[&!]\S{0,100}(?: {1,10}|$)){1,2}/;
export const BLOCK: RegExp = /^[|>][-+\d]{0,3}(?: |$)/;
const AFTER_QUOTED = /^(?:\s+#.*|\s*)$/;
const KEY_WITHIN = /:(?: |$)/;
/** What no plain text begins with. */
const NO_PLAIN = /^[@`%|>,\]}]/;

export const MERGE_KEY = "<<";
const ALIAS = /^\*([^\s[\]{},]{1,100})$/;
const ALIASES = /^\[ ?\*[^\s[\]{},]{1,100}(?: ?, ?\*[^\s[\]{},]{1,100}){0,20} ?\]$/;

/** The anchor that a value names which is an alias. */
export function aliasIn(text: string): string | undefined {
  return ALIAS.exec(text)?.[1];
}

/** The anchors of a list of aliases in one line; `undefined` for what is none. */
export function aliasesIn(text: string): readonly string[] | undefined {
  if (!ALIASES.test(text)) return undefined;
  return text
    .slice(1, -1)
    .split(",")
    .map((alias) => alias.trim().slice(1));
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A key as it is for jq. */
export function unquoted(key: string): string {
  const first = key[0];
  if (first === '"') {
    try {
      return String(JSON.parse(key));
    } catch {
      return key.slice(1, -1);
    }
  }
  return first === "'" ? key.slice(1, -1).replaceAll("''", "'") : key;
}

export function withoutComment(text: string): string {
  if (text.startsWith("#")) return "";
  const comment = text.startsWith('"') || text.startsWith("'") ? -1 : text.indexOf(" #");
  return (comment === -1 ? text : text.slice(0, comment)).trim();
}

/** How a quoted text goes on that begins with its first character: `undefined` where it does not end in it. */
export function afterQuoted(text: string, quote: string): string | undefined {
  for (let at = 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return text.slice(at + 1);
    }
  }
  return undefined;
}

/** Whether nothing but a remark stands after a quoted text. */
export function isEnd(rest: string): boolean {
  return AFTER_QUOTED.test(rest);
}

/** Whether plain text, or what goes on with it, can be read as such: a key within it cannot. */
export function isPlain(text: string): boolean {
  return !KEY_WITHIN.test(text);
}

/** Whether plain text may begin so. */
export function mayBePlain(text: string): boolean {
  return !NO_PLAIN.test(text) && isPlain(text);
}

/** Open brackets after a text. */
export function depthOf(text: string, before: number): number {
  let depth = before;
  let quoted = "";
  for (const character of text) {
    if (quoted !== "") quoted = character === quoted ? "" : quoted;
    else if (character === '"' || character === "'") quoted = character;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
  }
  return Math.max(0, depth);
}
