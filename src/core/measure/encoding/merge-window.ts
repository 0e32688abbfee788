import { NO_RANK, type RankIndex } from "./rank-index.js";

/** For few bytes, because each rank scans all pairs. */
export function mergeWindow(
  bytes: Uint8Array,
  start: number,
  end: number,
  ranks: RankIndex,
  ends: Int32Array,
): number {
  let parts = end - start;
  // Part `i` ends at `ends[i]`; `pairs[i]` is its rank with the next part.
  const pairs = room.length < parts ? (room = new Int32Array(2 * parts)) : room;
  const { rankOf, rankOfPair } = ranks;
  for (let part = 0; part < parts; part++) {
    const at = start + part;
    ends[part] = at + 1;
    pairs[part] = at + 1 < end ? rankOfPair(bytes[at]!, bytes[at + 1]!) : NO_RANK;
  }
  for (;;) {
    let first = 0;
    let rank = NO_RANK;
    for (let part = 0; part < parts; part++) {
      const pair = pairs[part]!;
      if (pair < rank) {
        rank = pair;
        first = part;
      }
    }
    if (rank === NO_RANK) return parts;
    let kept = first;
    for (let part = first; part < parts; part++, kept++) {
      let pair = pairs[part]!;
      if (pair === rank) {
        part++;
        const partStart = kept === 0 ? start : ends[kept - 1]!;
        pair = part + 1 < parts ? rankOf(bytes, partStart, ends[part + 1]!) : NO_RANK;
        let before = NO_RANK;
        if (kept > 0) {
          before = rankOf(bytes, kept === 1 ? start : ends[kept - 2]!, ends[part]!);
          pairs[kept - 1] = before;
        }
        // A lower rank goes first.
        if (before < rank || pair < rank) rank = -1;
      }
      ends[kept] = ends[part]!;
      pairs[kept] = pair;
    }
    parts = kept;
  }
}

let room = new Int32Array(256);
