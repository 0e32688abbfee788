import { headerOf, rowFormatOf, splitRow } from "../content/table/rows.js";
import type { Content } from "../types/content.js";

/** No other number in an object or a list loses digits, overflows or underflows when it is parsed. */
const MAY_BE_INEXACT = /[:,[\s](-?(?:[\d.]{16}|[\d.]{1,15}[eE][-+]?\d{3})[\d.eE+-]*)/g;
/** The closing quote may be missing, so that no string is looked at twice. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d[\d.eE+-]*/g;
/** A longer number is taken for one that cannot be kept. */
const MAX_DIGITS = 400;
/** What stands for a number that cannot be kept; they are parsed to infinities. */
const INEXACT_INTEGER = "-1e999";
const INEXACT_NUMBER = "1e999";

/**
 * What turns the text of a record into its value: JSON, or an object of strings for rows. An integer that cannot be kept
 * exactly is minus infinity, another such number infinity. A text that is no JSON gives `undefined`.
 */
export function recordParser(content: Content): (text: string) => unknown {
  if (content.layout === "rows") {
    const { names } = headerOf(content);
    const format = rowFormatOf(content);
    return (text) => {
      const cells = splitRow(text, format);
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
    };
  }
  const parse = content.records?.numbersAreShort === true ? JSON.parse : parseExactly;
  return (text) => {
    try {
      return parse(text);
    } catch {
      return undefined;
    }
  };
}

/** A number that cannot be kept exactly is infinite. @throws SyntaxError for what is no JSON. */
function parseExactly(text: string): unknown {
  return JSON.parse(isExact(text) ? text : text.replaceAll(TOKEN, exactToken));
}

/** Whether no number of an object or a list is another one when it is parsed; strings may hold what looks like one. */
function isExact(text: string): boolean {
  if (!text.startsWith("[") && !text.startsWith("{")) return false;
  for (const [, token = ""] of text.matchAll(MAY_BE_INEXACT)) {
    if (exactToken(token) !== token) return false;
  }
  return true;
}

function exactToken(token: string): string {
  if (token.startsWith('"')) return token;
  const value = Number(token);
  const written = String(value);
  if (written === token || Number.isNaN(value)) return token;
  if (token.length <= MAX_DIGITS && decimalOf(token) === decimalOf(written)) return token;
  return /^-?\d+$/.test(token) ? INEXACT_INTEGER : INEXACT_NUMBER;
}

/** One way to write each number: its digits without zeros at the ends, and where the point is. */
function decimalOf(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace(/^-/, "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  const significant = digits.slice(0, length);
  if (significant === "") return "0";
  const sign = literal.startsWith("-") ? "-" : "";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}
