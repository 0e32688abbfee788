import type { AgingItem } from "./aging-item.js";

/**
 * Places of what is stale, in order: results behind which so many newer ones stand, and whose model has answered since; and answers
 * whose calls' results are all stale.
 */
export function stalePlaces(items: readonly AgingItem[], keepResults: number): number[] {
  const answered = items.findLastIndex(({ role }) => role === "answer");
  const places: number[] = [];
  let results = 0;
  /** Results behind those of the answer that comes next; none of the last answer's own are stale. */
  let behind = -1;
  for (let place = items.length - 1; place >= 0; place -= 1) {
    const item = items[place];
    if (item === undefined || item.role === "other") continue;
    const isStale =
      item.role === "result" ? results >= keepResults && place < answered : behind >= keepResults;
    if (isStale && item.agedTokens !== undefined && item.agedTokens < item.tokens) {
      places.push(place);
    }
    if (item.role === "result") results += 1;
    else behind = results;
  }
  return places.toReversed();
}
