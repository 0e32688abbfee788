/** Some items of a sequence of unknown length, spread evenly over it. */
export interface SpreadSample<Item> {
  /** Whether the item at an index belongs to the sample as it is now; indexes come in order. */
  wants(index: number): boolean;
  /** Adds an item that is wanted; one of more than an eighth of `maxSize` is left out. */
  add(index: number, item: Item, size: number): void;
  /** What is in the sample, in order. */
  items(): readonly Item[];
}

/** 32 bits that look drawn, 0 of 0: data that comes in turns is in step with every regular choice. The last step of MurmurHash3. */
function mixed(index: number): number {
  let bits = Math.imul(index ^ (index >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Creates a sample of all items, then of about half, a quarter, … of them, as soon as there are more than
 * `maxItems` or their sizes add up to more than `maxSize`. It has one of those that were added at least; equal sequences give
 * equal samples.
 */
export function createSpreadSample<Item>(maxItems: number, maxSize: number): SpreadSample<Item> {
  let share = 1;
  let sizes = 0;
  let kept: { readonly index: number; readonly item: Item; readonly size: number }[] = [];
  const wants = (index: number): boolean => mixed(index) < share * 2 ** 32;
  return {
    wants,
    add(index, item, size) {
      if (!wants(index) || size * 8 > maxSize) return;
      kept.push({ index, item, size });
      sizes += size;
      while (kept.length > maxItems || sizes > maxSize) {
        share /= 2;
        const fewer = kept.filter((entry) => wants(entry.index));
        kept = fewer.length > 0 ? fewer : kept.slice(0, 1);
        sizes = kept.reduce((sum, entry) => sum + entry.size, 0);
      }
    },
    items: () => kept.map(({ item }) => item),
  };
}
