/** A number for a reader: `14,020`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}
