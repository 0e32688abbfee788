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

export async function mapConcurrent<Item>(
  items: readonly Item[],
  atOnce: number,
  job: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await job(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
