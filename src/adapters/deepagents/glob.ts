import { RE2JS } from "re2js";

import { OffloadError } from "../../core/types/errors.js";

const MAX_PATTERN_CHARACTERS = 1000;
/** Not `!`, `(a|b)`, `{1..3}` and a class that micromatch reads in its own way. */
const SUPPORTED = /^(?!.*\.\.)(?:\[\^?[\w.-]+\]|[^!()[\]\\|^])*$/s;
const MEANINGS: Readonly<Record<string, string>> = {
  "**": ".*",
  "**/": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  ",": "|",
  "}": ")",
  "[": "[",
  "^": "^",
  "]": "]",
};

/**
 * Supports `*` and `?` within a folder, `**` over folders, `[abc]` and `{one,other}`. RE2 takes linear time.
 * @throws OffloadError for other patterns: if they matched nothing, the data would seem to be missing.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  try {
    if (pattern.length <= MAX_PATTERN_CHARACTERS && SUPPORTED.test(pattern)) {
      const source = pattern
        .replace(/^\.?\//, "")
        .replaceAll(/\*\*\/?|[^]/gu, (part) => MEANINGS[part] ?? RE2JS.quote(part));
      const regex = RE2JS.compile(source, RE2JS.DOTALL);
      return (path) => regex.matches(path);
    }
  } catch {
    // Such as a brace without its end, or [z-a].
  }
  throw new OffloadError(
    "INVALID_ARGUMENTS",
    `This glob cannot search stored tool outputs. Use *, **, ?, [abc] and {a,b}, in at most ${MAX_PATTERN_CHARACTERS} characters, or the path of another folder.`,
  );
}
