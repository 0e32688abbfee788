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
  const date = new Date(unixMs);
  const time = date.toLocaleTimeString("en-GB");
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString("en-CA")} ${time}`;
}

export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

/** Keeps the source text of numbers; `undefined` for invalid JSON. */
export function parseExact(text: string): unknown {
  const raw: unknown = Reflect.get(JSON, "rawJSON");
  try {
    return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
      const { source = "" } = context ?? {};
      if (typeof value !== "number" || source === "" || String(value) === source) return value;
      return typeof raw === "function" ? (raw(source) as unknown) : source;
    });
  } catch {
    return undefined;
  }
}

export function indented(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseExact(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}
