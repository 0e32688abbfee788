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
