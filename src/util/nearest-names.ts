const MAX_NEAREST = 3;
const MAX_NAME_CHARACTERS = 64;
const MAX_COMPARED_NAMES = 500;

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 0; row < a.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column += 1) {
      const replaced = (previous[column] ?? 0) + (a[row] === b[column] ? 0 : 1);
      const added = Math.min(previous[column + 1] ?? 0, current[column] ?? 0) + 1;
      current.push(Math.min(replaced, added));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

/**
 * 0 for the same name, `Infinity` for an unrelated one. A related name differs in at most four tenths of the
 * characters, contains the other or is contained in it. Case and punctuation do not count.
 */
export function nameDistance(name: string, candidate: string): number {
  if (Math.max(name.length, candidate.length) > MAX_NAME_CHARACTERS) return Infinity;
  const [wanted, other] = [plain(name), plain(candidate)];
  const most = Math.max(1, Math.floor(wanted.length * 0.4));
  const isComparable = Math.abs(other.length - wanted.length) <= most;
  const distance = isComparable ? editDistance(wanted, other) : Infinity;
  // A one-letter name would match any other.
  if (distance <= most && distance < wanted.length) return distance;
  const isPart =
    Math.min(other.length, wanted.length) > 2 && (other.includes(wanted) || wanted.includes(other));
  return isPart ? wanted.length : Infinity;
}

export function nearestNames(name: string, names: readonly string[]): string[] {
  return names
    .slice(0, MAX_COMPARED_NAMES)
    .map((candidate) => ({ candidate, distance: nameDistance(name, candidate) }))
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAREST)
    .map(({ candidate }) => candidate);
}
