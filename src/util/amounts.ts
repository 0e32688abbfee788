const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** `14,020`. `toLocaleString` would block the event loop at its first use. */
export function grouped(value: number): string {
  if (!Number.isSafeInteger(value)) return value.toLocaleString("en-US");
  if (Math.abs(value) < 1000) return String(value);
  const last = String(Math.abs(value % 1000)).padStart(3, "0");
  return `${grouped(Math.trunc(value / 1000))},${last}`;
}

/** `1 output`, `14,020 outputs`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/** `0 B`, `999 B`, `1.2 kB`, `34 MB`: powers of 1,000. */
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

/** `850 ms`, `1.2 s`, `12 min`, `23 h`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return `${Math.floor(ms / HOUR_MS)} h`;
}
