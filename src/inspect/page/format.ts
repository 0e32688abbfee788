import { counted, grouped } from "../../util/amounts.js";
import { printable, shorten } from "../../util/safe-text.js";

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
