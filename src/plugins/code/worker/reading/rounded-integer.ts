import { endOfString } from "../../../../core/content/json/json-text.js";

/** No integer with fewer digits is rounded. */
const LONG = /\d{16,}/g;
const BEFORE = /[\s:,[]-?$/;
const AFTER = /^[\s,\]}]/;
/** Every longer one is rounded. */
const MAX_DIGITS = 300;
const MAX_SHOWN = 40;

/**
 * The first integer of a JSON text that JavaScript holds as another one, as it is written, shortened; `undefined` when
 * there is none.
 */
export function roundedInteger(json: string): string | undefined {
  let outside = 0;
  for (const { 0: digits, index } of json.matchAll(LONG)) {
    const end = index + digits.length;
    const before = ` ${json.slice(Math.max(0, index - 2), index)}`;
    if (!BEFORE.test(before) || !AFTER.test(`${json.slice(end, end + 1)} `)) continue;
    if (digits.length <= MAX_DIGITS && BigInt(digits) === BigInt(Number(digits))) continue;
    for (let quote = json.indexOf('"', outside); quote !== -1 && quote < index;) {
      outside = endOfString(json, quote);
      quote = json.indexOf('"', outside);
    }
    if (outside > index) continue;
    const sign = before.endsWith("-") ? "-" : "";
    return `${sign}${digits.length > MAX_SHOWN ? `${digits.slice(0, MAX_SHOWN)}…` : digits}`;
  }
  return undefined;
}

/** The JSON that a tool gave, a bare integer that would be rounded, such as an id, as a text; else what is rounded in it. */
export function exactResult(json: string): { readonly json: string; readonly rounded?: string } {
  const rounded = roundedInteger(json);
  if (rounded === undefined) return { json };
  return json.trim() === rounded ? { json: JSON.stringify(rounded) } : { json, rounded };
}
