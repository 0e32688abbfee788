const DAY_MS = 24 * 3_600_000;

/** Today's number, from 0 to below `count`: each has its turn. */
export function turnOfTheDay(count: number): number {
  return Math.floor(Date.now() / DAY_MS) % count;
}

/** One of the cases, another one each day: of those that take minutes and are much alike. */
export function caseOfTheDay<T>(cases: readonly T[]): T[] {
  const turn = turnOfTheDay(cases.length);
  return cases.filter((_, index) => index === turn);
}
