/** The times of a log. */
export interface LogTimes {
  readonly add: (time: string) => void;
  /** The least and the greatest where all are of one form, else those of the first line and the last that have one. */
  readonly text: () => string | undefined;
}

/** Times that are in order as text is: a year first, hours first, or seconds in all. */
const ORDERED = /^(?:\d{4}[-/]|\d\d:\d\d:\d\d|\d{10})/;
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

export function createTimes(): LogTimes {
  let [first, last, least, greatest] = ["", "", "", ""];
  let zoneCharacters = 0;
  let isOrdered = true;
  return {
    add(time) {
      if (first === "") {
        [first, least, greatest] = [time, time, time];
        zoneCharacters = zoneOf(time).length;
        isOrdered = ORDERED.test(time);
      }
      last = time;
      if (!isOrdered) return;
      isOrdered = areOfOneForm(first, time, zoneCharacters);
      if (time < least) least = time;
      if (time > greatest) greatest = time;
    },
    text() {
      if (first === "") return undefined;
      if (isOrdered) return `${least} to ${greatest}`;
      return `first line ${first}, last line ${last}`;
    },
  };
}

function zoneOf(time: string): string {
  return time.length > 12 ? (ZONE.exec(time)?.[0] ?? "") : "";
}

/** Whether digits stand at the same places, and all else is the same, as is the zone. */
function areOfOneForm(one: string, other: string, zoneCharacters: number): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) {
    const code = one.charCodeAt(at);
    const otherCode = other.charCodeAt(at);
    if (code === otherCode) continue;
    if (at >= one.length - zoneCharacters || !isDigit(code) || !isDigit(otherCode)) return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
