/** The lowest and the highest of what was seen, as it is to be shown. */
export interface ValueRange {
  readonly min: string;
  readonly max: string;
}

/** The same as it is compared. */
export interface Extremes<Key> {
  min: { readonly key: Key; readonly text: string };
  max: { readonly key: Key; readonly text: string };
}

/** With one more; `known` itself is changed. */
export function widened<Key extends number | string>(
  known: Extremes<Key> | undefined,
  key: Key,
  text: string,
): Extremes<Key> {
  if (known === undefined) return { min: { key, text }, max: { key, text } };
  if (key < known.min.key) known.min = { key, text };
  if (key > known.max.key) known.max = { key, text };
  return known;
}
