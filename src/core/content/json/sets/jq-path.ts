import { safeJson } from "../../../../util/safe-text.js";
import type { SetPlace } from "../../../types/content.js";

/** Field names that jq 1.6 reads without quotes, as in `.name`. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that are no shorthand in an object construction of jq 1.6, though `.and` is a field. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "and as catch def elif else end foreach if import include label module not or reduce then try __loc__".split(
    " ",
  ),
);

/** A jq literal for a string or a finite number: `\(` never starts an interpolation in it. */
export function jqLiteral(value: string | number | boolean): string {
  return safeJson(value);
}

/** The jq expression for a field, such as `.user.login` or `."due date"`. Keys are in order from the record. */
export function jqPath(path: readonly string[]): string {
  if (path.length === 0) return ".";
  return path.map((key) => (IDENTIFIER.test(key) ? `.${key}` : `.${jqLiteral(key)}`)).join("");
}

/** The key of an object construction, quoted when jq needs it. */
export function jqKey(name: string): string {
  return IDENTIFIER.test(name) && !KEYWORDS.has(name) ? name : jqLiteral(name);
}

/** One entry of an object construction: `id`, or `"user.login": .user.login` for any other path. */
export function jqEntry(path: readonly string[], name: string = path.join(".")): string {
  const key = jqKey(name);
  return key === name && path.length === 1 && path[0] === name ? name : `${key}: ${jqPath(path)}`;
}

/** The jq expression for all records of a set as one array. */
export function setPath({ path, isMap }: Pick<SetPlace, "path" | "isMap">): string {
  return jqPath(path) + (isMap === true ? " | to_entries" : "");
}
