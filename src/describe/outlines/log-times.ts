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
  let form: string | undefined;
  let isOrdered = true;
  return {
    add(time) {
      if (first === "") [first, least, greatest] = [time, time, time];
      last = time;
      if (!isOrdered) return;
      const own = formOf(time);
      form ??= own;
      isOrdered = own === form && ORDERED.test(time);
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

/** Where its digits are; of a zone, which. */
function formOf(time: string): string {
  const zone = time.length > 12 ? (ZONE.exec(time)?.[0] ?? "") : "";
  return time.slice(0, time.length - zone.length).replaceAll(/\d/g, "0") + zone;
}
