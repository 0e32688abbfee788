/** What is added up or counted for each key. */
export function sumBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  valueOf: (item: Item) => number = () => 1,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    sums.set(key, (sums.get(key) ?? 0) + valueOf(item));
  }
  return sums;
}

/** The key with the highest value. @throws when two share it: such a question has no one answer. */
export function topKey(values: ReadonlyMap<string, number>): string {
  return topEntry(values)[0];
}

/** The same with its value. @throws when two share it. */
export function topEntry(values: ReadonlyMap<string, number>): [string, number] {
  const [first, second] = [...values].toSorted(([, one], [, other]) => other - one);
  if (first === undefined) throw new Error("There is no value.");
  if (first[1] === second?.[1]) throw new Error(`${first[0]} and ${second[0]} are equal.`);
  return first;
}

/** The items with the highest values, highest first. @throws when the last place is shared. */
export function topItems<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => number,
  count: number,
): Item[] {
  const sorted = items.toSorted((one, other) => valueOf(other) - valueOf(one));
  const [last, next] = [sorted[count - 1], sorted[count]];
  if (last === undefined) throw new Error(`There are fewer than ${count}.`);
  if (next !== undefined && valueOf(last) === valueOf(next)) throw new Error("A place is shared.");
  return sorted.slice(0, count);
}

/** The middle of the values; of two, their mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [high = Number.NaN, low = high] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
