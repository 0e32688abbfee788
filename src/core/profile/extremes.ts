/** The lowest and the highest of what was seen, as it is to be shown. */
export interface ValueRange {
  readonly min: string;
  readonly max: string;
}

/** The same as it is compared. */
export interface Extremes<Key> {
  min: Extreme<Key>;
  max: Extreme<Key>;
}

interface Extreme<Key> {
  key: Key;
  text: string;
}

/** With one more; `known` itself is changed. */
export function widened<Key extends number | string>(
  known: Extremes<Key> | undefined,
  key: Key,
  text: string,
): Extremes<Key> {
  if (known === undefined) return { min: { key, text }, max: { key, text } };
  if (key < known.min.key) replace(known.min, key, text);
  if (key > known.max.key) replace(known.max, key, text);
  return known;
}

function replace<Key>(extreme: Extreme<Key>, key: Key, text: string): void {
  extreme.key = key;
  extreme.text = text;
}
