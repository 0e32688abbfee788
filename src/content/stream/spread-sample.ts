/** Some items of a sequence of unknown length, spread evenly over it. */
export interface SpreadSample<Item> {
  /** Whether the item at an index belongs to the sample as it is now; indexes come in order. */
  wants(index: number): boolean;
  /** Adds an item that is wanted; one of more than an eighth of `maxSize` is left out. */
  add(index: number, item: Item, size: number): void;
  /** What is in the sample, in order. */
  items(): readonly Item[];
}

/**
 * Creates a sample of every item, then of every second, fourth, … one, as soon as there are more than
 * `maxItems` or their sizes add up to more than `maxSize`. Equal sequences give equal samples.
 */
export function createSpreadSample<Item>(maxItems: number, maxSize: number): SpreadSample<Item> {
  let stride = 1;
  let sizes = 0;
  let kept: { readonly index: number; readonly item: Item; readonly size: number }[] = [];
  const wants = (index: number): boolean => index % stride === 0;
  return {
    wants,
    add(index, item, size) {
      if (!wants(index) || size * 8 > maxSize) return;
      kept.push({ index, item, size });
      sizes += size;
      while (kept.length > maxItems || sizes > maxSize) {
        stride *= 2;
        kept = kept.filter((entry) => wants(entry.index));
        sizes = kept.reduce((sum, entry) => sum + entry.size, 0);
      }
    },
    items: () => kept.map(({ item }) => item),
  };
}
