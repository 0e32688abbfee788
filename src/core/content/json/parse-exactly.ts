const MAY_BE_INEXACT = /[:,[\s](-?(?:[\d.]{16}|[\d.]{1,15}[eE][-+]?\d{3})[\d.eE+-]*)/g;
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d[\d.eE+-]*/g;
/** Texts too: a double holds 15 digits of any number of usual size. */
const SURELY_EXACT = /^"|^-?[\d.]{1,15}(?:[eE][-+]?\d{1,2})?$/;

/**
 * Parses JSON; a number that a double may not hold becomes what `instead` gives, as JSON.
 *
 * @param instead - Default: minus infinity for an integer, infinity for another number.
 * @throws SyntaxError for invalid JSON.
 */
export function parseExactly(text: string, instead: (token: string) => string = infinity): unknown {
  if (isExact(text)) return JSON.parse(text);
  return JSON.parse(
    text.replaceAll(TOKEN, (token) => (isExactToken(token) ? token : instead(token))),
  );
}

function infinity(token: string): string {
  return /^-?\d+$/.test(token) ? "-1e999" : "1e999";
}

function isExact(text: string): boolean {
  if (!text.startsWith("[") && !text.startsWith("{")) return false;
  for (const [, token = ""] of text.matchAll(MAY_BE_INEXACT))
    if (!isExactToken(token)) return false;
  return true;
}

function isExactToken(token: string): boolean {
  return SURELY_EXACT.test(token) || String(Number(token)) === token;
}
