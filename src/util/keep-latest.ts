/** Makes an entry the newest of a map, and drops the oldest beyond `maxEntries`. */
export function keepLatest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  maxEntries: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= maxEntries) return;
  const oldest = entries.keys().next();
  if (oldest.done !== true) entries.delete(oldest.value);
}
