/** What a document is not expected to have before digits. */
const MARK = "\0";
const MARKED = String.raw`"\u0000`;
const DIGITS = /^-?\d+$/;

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
  return `${hasBig ? unmarked(json) : (json ?? "null")}\n`;
}

function unmarked(json: string): string {
  const [before = "", ...parts] = json.split(MARKED);
  const numbers = parts.map((part) => {
    const end = part.indexOf('"');
    const digits = part.slice(0, end);
    return DIGITS.test(digits) ? digits + part.slice(end + 1) : MARKED + part;
  });
  return before + numbers.join("");
}
