/** What a document is not expected to have before digits. */
const MARK = "\0";
const MARKED = /"\\u0000(-?\d+)"/g;

/**
 * A value as JSON text, its big integers with all their digits.
 *
 * @throws Error when it contains itself, or its aliases make it too long for one text.
 */
export function jsonOf(value: unknown): string {
  let hasBig = false;
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "bigint") return member;
    hasBig = true;
    return `${MARK}${member}`;
  });
  return `${hasBig ? json.replaceAll(MARKED, "$1") : (json ?? "null")}\n`;
}
