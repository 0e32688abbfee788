/** Makes an entry the newest of a map, and drops the oldest beyond `maxEntries`. */
export function keepLatest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  maxEntries: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) return;
    entries.delete(oldest);
  }
}
