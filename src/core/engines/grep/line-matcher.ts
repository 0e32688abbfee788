import { RE2JS } from "re2js";

import type { GrepQuery } from "./job.js";

/** Where a hit lies in a line, in UTF-16 code units; `end` is exclusive. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  readonly needle: Buffer | undefined;
  test(line: string): boolean;
  each(line: string, visit: (hit: Hit) => void): void;
}

const SPECIAL = /[\\^$.|?*+()[\]{}\r\n]/;

/**
 * Compiles a pattern of RE2's syntax, or a text when it is literal.
 *
 * @throws The engine's syntax error for a pattern that RE2 does not take: lookaround,
 * backreferences, too large repetitions.
 */
export function createLineMatcher({ pattern, literal, ignoreCase }: GrepQuery): LineMatcher {
  const isText = literal ? !/[\r\n]/.test(pattern) : !SPECIAL.test(pattern);
  if (isText && !ignoreCase && pattern !== "" && pattern.isWellFormed())
    return textMatcher(pattern);
  const regex = RE2JS.compile(
    literal ? RE2JS.quote(pattern) : pattern,
    ignoreCase ? RE2JS.CASE_INSENSITIVE : 0,
  );
  return {
    needle: undefined,
    test: (line) => regex.test(line),
    each(line, visit) {
      const matcher = regex.matcher(line);
      while (matcher.find()) {
        const hit = { start: matcher.start(), end: matcher.end() };
        if (hit.end > hit.start) visit(hit);
      }
    },
  };
}

/** What stands for bytes that are no UTF-8. */
const REPLACEMENT = "\ufffd";

function textMatcher(text: string): LineMatcher {
  return {
    needle: text.includes(REPLACEMENT) ? undefined : Buffer.from(text),
    test: (line) => line.includes(text),
    each(line, visit) {
      for (let start = line.indexOf(text); start >= 0;) {
        const end = start + text.length;
        visit({ start, end });
        start = line.indexOf(text, end);
      }
    },
  };
}
