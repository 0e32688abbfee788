interface DateText {
  readonly moment: string;
  readonly zone: string;
  readonly form: string;
}

const DAY_CHARACTERS = 10;
const MAX_CHARACTERS = 40;
const DASH = 45;
/** Of a calendar that comes again after so many years. */
const CYCLE_YEARS = 400;
const FIRST_YEAR = 2_000;
const DATE =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?)?(Z| UTC| ?[-+](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/**
 * A date of the calendar such as `2026-01-31`, `2026-01-31 08:00` or `2026-01-31T08:00:00Z`, and no more than that;
 * `undefined` for any other text.
 */
export function readDate(text: string): DateText | undefined {
  const { length } = text;
  if (length < DAY_CHARACTERS || length > MAX_CHARACTERS) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return undefined;
  const [, year, month, day, time = "", zone = ""] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  // No month has fewer.
  if (Number(day) > 28 && Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const moment = zone === "" ? text : text.slice(0, -zone.length);
  return { moment, zone, form: `${moment.length}${time[0] ?? ""}` };
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(FIRST_YEAR + (year % CYCLE_YEARS), month, 0)).getUTCDate();
}
