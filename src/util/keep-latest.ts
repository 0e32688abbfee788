/**
 * Puts an entry at the young end of a map, and drops the oldest when there are more than `maxEntries`:
 * with an entry put again at each use, the one not used for longest goes first.
 */
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
