import { RE2JS } from "re2js";

/** Longest pattern that is looked at, in UTF-16 code units. */
const MAX_PATTERN_CHARACTERS = 1000;

/**
 * Whether a path matches a glob as deep agents' own file systems understand it: `*` and `?` within a folder, `**` over
 * folders, `[a-z]`, `[!a-z]`, `{one,other}`, a `\` before a character that stands for itself, and `!` before a whole pattern.
 * A pattern that is too long or not well formed matches nothing. RE2 takes a time that is linear in the path.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return () => false;
  const isNegated = pattern.startsWith("!");
  try {
    const regex = RE2JS.compile(regexOf(pattern.replace(/^!?\/?/, "")), RE2JS.DOTALL);
    return (path) => regex.matches(path) !== isNegated;
  } catch {
    return () => false;
  }
}

/** What a part of a glob is in RE2's syntax: `**` with the slash behind it, a class, a quoted character, or one alone. */
const PART = /(?<deep>\*\*\/?)|\[(?<not>[!^]?)(?<members>[^][^\]]{0,99})\]|\\?[^]/gu;
const SPECIAL: Readonly<Record<string, string>> = {
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
};

function regexOf(glob: string): string {
  let depth = 0;
  return glob.replaceAll(PART, (part, deep?: string, not?: string, members?: string) => {
    if (deep !== undefined) return ".*";
    if (members !== undefined)
      return `[${not ? "^/" : ""}${members.replaceAll(/[\\[\]^&]/g, String.raw`\$&`)}]`;
    depth += part === "{" ? 1 : part === "}" ? -1 : 0;
    if (part === "," && depth > 0) return "|";
    return SPECIAL[part] ?? RE2JS.quote(part.replace(/^\\(?=[^])/u, ""));
  });
}
