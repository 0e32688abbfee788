const MAX_NEAREST = 3;
const MAX_NAME_CHARACTERS = 64;

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function pairsIn(text: string): ReadonlySet<string> {
  const padded = ` ${text} `;
  return new Set(Array.from({ length: text.length + 1 }, (_, at) => padded.slice(at, at + 2)));
}

/**
 * 0 for the same name, `Infinity` for an unrelated one, which shares fewer than half of its pairs of letters.
 * Case and punctuation do not count.
 */
export function nameDistance(name: string, candidate: string): number {
  if (Math.max(name.length, candidate.length) > MAX_NAME_CHARACTERS) return Infinity;
  const [pairs, others] = [pairsIn(plain(name)), pairsIn(plain(candidate))];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  const likeness = (2 * shared) / (pairs.size + others.size);
  return likeness >= 0.5 ? 1 - likeness : Infinity;
}

export function nearestNames(name: string, names: readonly string[]): string[] {
  return names
    .map((candidate) => ({ candidate, distance: nameDistance(name, candidate) }))
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAREST)
    .map(({ candidate }) => candidate);
}
