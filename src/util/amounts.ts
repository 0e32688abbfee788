/** A number for a reader: `14,020`. Without the platform's own formatter, which holds the event loop at its first use. */
export function grouped(value: number): string {
  if (!Number.isSafeInteger(value)) return value.toLocaleString("en-US");
  const digits = String(Math.abs(value));
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= GROUP) {
    groups.unshift(digits.slice(Math.max(0, end - GROUP), end));
  }
  return `${value < 0 ? "-" : ""}${groups.join(",")}`;
}

const GROUP = 3;
const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** `1 output`, `14,020 outputs`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/** `0 B`, `999 B`, `1.2 kB`, `34 MB`: powers of 1,000, two digits where there is a point. */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}
