import { pause } from "./pause.js";

/** With one more step and a garbage collection, a slice stays below 10 ms. */
const SLICE_MS = 3;

export async function inSlices<Item>(
  items: Iterable<Item>,
  step: (item: Item) => void,
): Promise<void> {
  let endsAt = performance.now() + SLICE_MS;
  for (const item of items) {
    step(item);
    if (performance.now() < endsAt) continue;
    await pause();
    endsAt = performance.now() + SLICE_MS;
  }
}

export async function mapConcurrent<Item, Made>(
  items: readonly Item[],
  atOnce: number,
  job: (item: Item, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) made[index] = await job(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return made;
}
