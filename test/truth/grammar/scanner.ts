import type { Evidence } from "../truths/evidence.js";

/** One statement of a descriptor. */
export interface Claim {
  /** What is printed and listed of it. */
  readonly said: string;
  /** Computes it again: what is true in its place, `undefined` where it is true. Some claims have a word for why not. */
  readonly truth: ((evidence: Evidence) => string | undefined) | "not understood" | "not checked";
}

export const notUnderstood = (said: string): Claim => ({ said, truth: "not understood" });
export const notChecked = (said: string): Claim => ({ said, truth: "not checked" });

/** A text that is read from its beginning. */
export interface Scanner {
  /** What the pattern matches here, which is then behind; `undefined` where it does not. The pattern is sticky. */
  take(pattern: RegExp): RegExpExecArray | undefined;
  /** Whether all was read. */
  isAtEnd(): boolean;
}

/** Reads a text by sticky patterns. */
export function scan(text: string): Scanner {
  let at = 0;
  return {
    take(pattern) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) return undefined;
      at = pattern.lastIndex;
      return found;
    },
    isAtEnd: () => at >= text.length,
  };
}

/** A number as it is written for readers: `14,020`. */
export function numberOf(text: string): number {
  return Number(text.replaceAll(",", ""));
}

/** A text in quotes as JSON writes it, or as it is. */
export function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** A text as it is, any other value as JSON writes it. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
