const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
/** What stands before a value of JSON, and after it; white space may too. */
const BEFORE = Buffer.from(":,[");
const AFTER = Buffer.from(",]}");
const SPACE = 0x20;
/** No integer with fewer digits is rounded, so each that may be has one at every so many bytes. */
const MIN_DIGITS = 16;
/** Longer ones are shown in part. */
const MAX_DIGITS = 300;

/**
 * The first integer of a JSON text that JavaScript holds as another one, as it is written, shortened; `undefined` when there is
 * none. One byte in sixteen is looked at.
 *
 * @param json - Its beginning is outside of any string.
 */
export function roundedInteger(json: string | Uint8Array): string | undefined {
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  const strings = stringsOf(bytes);
  for (let at = MIN_DIGITS - 1; at < bytes.length; at += MIN_DIGITS) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    while (isDigit(bytes[start - 1])) start -= 1;
    let end = at + 1;
    while (isDigit(bytes[end])) end += 1;
    // The next one begins behind it.
    at = end;
    if (end - start < MIN_DIGITS || !isValue(bytes, start, end)) continue;
    const digits = Buffer.from(bytes.subarray(start, Math.min(end, start + MAX_DIGITS + 1)));
    const text = digits.toString("latin1");
    if (text.length <= MAX_DIGITS && BigInt(text) === BigInt(Number(text))) continue;
    if (strings.holds(start)) continue;
    const sign = bytes[start - 1] === MINUS ? "-" : "";
    return `${sign}${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
  }
  return undefined;
}

/** The JSON that a tool gave, a bare integer that would be rounded, such as an id, as a text; else what is rounded in it. */
export function exactResult(json: string): { readonly json: string; readonly rounded?: string } {
  const rounded = roundedInteger(json);
  if (rounded === undefined) return { json };
  return json.trim() === rounded ? { json: JSON.stringify(rounded) } : { json, rounded };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether nothing but a value of JSON could stand so, if it is in no string. */
function isValue(bytes: Uint8Array, start: number, end: number): boolean {
  const before = bytes[bytes[start - 1] === MINUS ? start - 2 : start - 1];
  const after = bytes[end];
  return (
    (before === undefined || before <= SPACE || BEFORE.includes(before)) &&
    (after === undefined || after <= SPACE || AFTER.includes(after))
  );
}

/** Where strings are, asked from the beginning to the end. */
function stringsOf(bytes: Uint8Array): { holds(at: number): boolean } {
  let from = 0;
  let isInside = false;
  return {
    holds(at) {
      for (; from < at; from += 1) {
        if (bytes[from] === QUOTE) isInside = !isInside;
        else if (isInside && bytes[from] === BACKSLASH) from += 1;
      }
      return isInside;
    },
  };
}
