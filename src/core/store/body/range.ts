import type { ByteRange } from "../artifact-store.js";

/**
 * Clamps a range to a body: whole numbers, `start` and `end` within it, never negative in length.
 * Without a range it is the whole body.
 */
export function clampRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes };
  const start = clamp(range.start, sizeBytes);
  return { start, end: Math.max(start, clamp(range.end, sizeBytes)) };
}

function clamp(offset: number, sizeBytes: number): number {
  // `|| 0` also takes NaN, which no comparison would stop.
  return Math.min(Math.max(Math.trunc(offset) || 0, 0), sizeBytes);
}
