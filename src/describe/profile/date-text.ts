/** A text that is a date, or a date and a time. */
export interface DateText {
  /** Without the zone. */
  readonly moment: string;
  /** As it was written; empty without one. */
  readonly zone: string;
}

const DATE =
  /^((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?)(Z| ?[-+](\d\d):?(\d\d)| UTC)?$/;
const MONTHS = 12;
const LAST_HOUR = 23;
const LAST_MINUTE = 59;
/** A minute may have a leap second. */
const LAST_SECOND = 60;

/** A date of the calendar such as `2026-01-31` or `2026-01-31T08:00:00Z`, and no more than that; `undefined` for any other text. */
export function readDate(text: string): DateText | undefined {
  const parts = DATE.exec(text);
  if (parts === null) return undefined;
  const [, moment = "", year, month, day, hour, minute, second, zone = "", zoneHour, zoneMinute] =
    parts;
  const isDay = Number(month) <= MONTHS && Number(month) > 0 && Number(day) > 0;
  if (!isDay || Number(day) > daysOf(Number(year), Number(month))) return undefined;
  return isTime(hour, minute, second) && isTime(zoneHour, zoneMinute)
    ? { moment, zone }
    : undefined;
}

function isTime(hours = "0", minutes = "0", seconds = "0"): boolean {
  return (
    Number(hours) <= LAST_HOUR && Number(minutes) <= LAST_MINUTE && Number(seconds) <= LAST_SECOND
  );
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
