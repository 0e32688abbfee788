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

/** The keys of such a name, in time linear in its length. */
export function keysOfName(name: string): readonly string[] {
  const keys: string[] = [];
  for (let at = 0; at < name.length;) {
    const end = name[at] === '"' ? quotedEnd(name, at) : plainEnd(name, at);
    keys.push(keyIn(name.slice(at, end)));
    at = end + 1;
  }
  return keys;
}

function plainEnd(name: string, start: number): number {
  const end = name.indexOf(".", start);
  return end === -1 ? name.length : end;
}

/** Behind the closing quote. */
function quotedEnd(name: string, start: number): number {
  let at = start + 1;
  while (at < name.length && name[at] !== '"') at += name[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, name.length);
}

function keyIn(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
