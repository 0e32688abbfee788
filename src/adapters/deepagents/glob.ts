import { RE2JS } from "re2js";

const MAX_PATTERN_CHARACTERS = 1000;

/**
 * Supports `*` and `?` within a folder, `**` over folders and `{one,other}`. Too long a pattern
 * matches nothing. RE2 takes linear time.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return () => false;
  const regex = RE2JS.compile(regexOf(pattern.replace(/^\//, "")), RE2JS.DOTALL);
  return (path) => regex.matches(path);
}

function regexOf(glob: string): string {
  return glob.replaceAll(/\*\*\/?|\{[^{}]{0,99}\}|[^]/gu, (part) => {
    if (part.startsWith("**")) return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 2) return `(?:${part.slice(1, -1).split(",").map(regexOf).join("|")})`;
    return RE2JS.quote(part);
  });
}
