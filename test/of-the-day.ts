const DAY_MS = 24 * 3_600_000;

/** Before a release, none waits for its day. */
export const ALL_CASES: boolean = process.env["ALL_CASES"] !== undefined;

/** Which of so many parts has its turn today, as `part/count`; all of it is `0/1`. */
export function partOfTheDay(count: number): string {
  return ALL_CASES ? "0/1" : `${turnOfTheDay(count)}/${count}`;
}

/** One of the cases, another one each day: of those that take minutes and are much alike. */
export function caseOfTheDay<T>(cases: readonly T[]): readonly T[] {
  return shareOfTheDay(cases, cases.length);
}

/** Every so-manyth of the cases, others each day. */
export function shareOfTheDay<T>(cases: readonly T[], count: number): readonly T[] {
  const turn = turnOfTheDay(count);
  return ALL_CASES ? cases : cases.filter((_, index) => index % count === turn);
}

function turnOfTheDay(count: number): number {
  return Math.floor(Date.now() / DAY_MS) % count;
}
