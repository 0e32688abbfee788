/** Choices that depend on their seed alone. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** So many lower-case hexadecimal digits. */
  readonly hex: (digits: number) => string;
}

/** A generator for one seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new RangeError("Nothing to pick from.");
      return value;
    },
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(""),
  };
}
