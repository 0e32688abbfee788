import type { EntryPlace, IndexedSegment } from "./journal-index.js";

/**
 * Where the entries of a session are, by their time. Those of one process stay in the order in which it wrote them, as its
 * times never go back.
 */
export function mergedPlaces(
  segments: readonly IndexedSegment[],
  session: string,
): (from: number, limit: number) => readonly EntryPlace[] {
  const parts = segments
    .toSorted((one, other) => one.process.localeCompare(other.process) || one.number - other.number)
    .flatMap(({ name, parts }) => {
      const part = parts.get(session);
      return part === undefined ? [] : [{ name, part }];
    });
  const times = parts.flatMap(({ part }) => part.at);
  const starts = startsOf(parts.map(({ part }) => part.at.length));
  // Stable, so equal times keep their order; what is sorted consists of a few ordered runs.
  const order = times
    .map((_, place) => place)
    .toSorted((a, b) => (times[a] ?? 0) - (times[b] ?? 0));

  function placeOf(index: number): EntryPlace | undefined {
    const at = starts.findLastIndex((start) => start <= index);
    const { name, part } = parts[at] ?? {};
    const inPart = index - (starts[at] ?? 0);
    const [offset, bytes] = [part?.offsets[inPart], part?.bytes[inPart]];
    if (name === undefined || offset === undefined || bytes === undefined) return undefined;
    return { segment: name, offset, bytes };
  }

  return (from, limit) => order.slice(from, from + limit).flatMap((index) => placeOf(index) ?? []);
}

function startsOf(lengths: readonly number[]): readonly number[] {
  let next = 0;
  return lengths.map((length) => {
    const start = next;
    next += length;
    return start;
  });
}
