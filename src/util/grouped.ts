/** A number for a reader: `14,020`. Without the platform's own formatter, which holds the event loop at its first use. */
export function grouped(value: number): string {
  if (!Number.isSafeInteger(value)) return value.toLocaleString("en-US");
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
