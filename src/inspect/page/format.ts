import { bytes, counted, grouped } from "../../util/amounts.js";

export { bytes, counted, grouped };

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What is not to be seen, or changes how the text around it is shown. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** Somebody else's text, in which nothing is invisible or turns the text around it; as HTML it is escaped by the view. */
export function shown(text: string, maxCharacters = 100_000): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
  return cut.replaceAll("\r\n", "\n").replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** The same on one line. */
export function shownLine(text: string, maxCharacters = 200): string {
  return shown(text, maxCharacters).replaceAll(/[\t\n]+/g, " ");
}

/** Before a number that was estimated, on one line with it. */
const ABOUT = "≈\u00A0";

/** `12,340 tokens`, with `≈` where they were estimated. */
export function tokens(count: number, exact = true): string {
  return `${exact ? "" : ABOUT}${counted(count, "token")}`;
}

/** A number that was estimated. */
export function about(count: number): string {
  return `${ABOUT}${grouped(count)}`;
}

/** `850 ms`, `1.2 s`, `12 min`, `23 h`, `9 d`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

/** The time of a day, with its date where that is another day than today. */
export function clock(unixMs: number): string {
  const date = new Date(unixMs);
  const time = date.toLocaleTimeString("en-GB");
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString("en-CA")} ${time}`;
}

/** What there is to say, on one line. */
export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

/** The JSON value of a text, its numbers as they stand there; `undefined` for what is no JSON. */
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

/** A value on several lines. */
export function indented(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The object that a text is as JSON; `undefined` for any other text. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseExact(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}
