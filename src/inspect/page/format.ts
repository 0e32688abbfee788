import { bytes, counted, duration, grouped } from "../../util/amounts.js";
import { printable, shorten } from "../../util/safe-text.js";

export { bytes, counted, duration, grouped };

export function shown(text: string, maxCharacters = 100_000): string {
  return printable(shorten(text, maxCharacters));
}

export function shownLine(text: string, maxCharacters = 200): string {
  return shown(text, maxCharacters).replaceAll(/[\t\n]+/g, " ");
}

const ABOUT = "≈\u00A0";

/** `12,340 tokens`, with `≈` for estimates. */
export function tokens(count: number, exact = true): string {
  return `${exact ? "" : ABOUT}${counted(count, "token")}`;
}

export function about(count: number): string {
  return `${ABOUT}${grouped(count)}`;
}

export function clock(unixMs: number): string {
  // In the order of ISO 8601.
  return new Date(unixMs).toLocaleString("sv-SE");
}

export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

/** Nesting that outputs choose would make the indents longer than any string. */
const MAX_INDENT = 64;
const JSON_TOKEN = /\s*("(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:])/gy;

/** JSON over several lines, each token as it is spelled, members in their order; other text as it is. */
export function indented(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  let before = "";
  let lines = "";
  for (const [, token = ""] of text.matchAll(JSON_TOKEN)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const isOpen = before === "{" || before === "[";
    if ((isOpen && !isEnd) || (isEnd && !isOpen) || before === ",")
      lines += `\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`;
    lines += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return lines;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
