/** What would not be told from several keys. */
const AMBIGUOUS = [".", '"'] as const;

/**
 * The keys from a record to a field as one name, such as `user.login`. A key that has a dot in it stands in quotes, as
 * jq takes it: `"http.status"` is one key, and `http.status` are two.
 */
export function fieldName(path: readonly string[]): string {
  return path.length === 1 && path[0] === "" ? "" : path.map(keyInName).join(".");
}

/** One key of such a name. */
export function keyInName(key: string): string {
  return key === "" || AMBIGUOUS.some((mark) => key.includes(mark)) ? JSON.stringify(key) : key;
}
