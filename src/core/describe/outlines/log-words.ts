import { levelAt } from "./log-levels.js";

/** A message with marks for what varies from line to line, and the level that stands in its place. */
export interface LogMessage {
  readonly text: string;
  readonly level: string | undefined;
}

/** Where a level is looked for. */
const LEVEL_WORDS = 8;
const MIN_HEX_CHARACTERS = 8;
const MARK = "#";
const SPACE = 32;
/** What a word is that has parts with a meaning of their own. */
const PARTED = /[=/"'()[\]{}]/;

/** Reads a message once, character by character. */
export function readMessage(message: string): LogMessage {
  let text = "";
  let level: string | undefined;
  let from = 0;
  let wordStart = 0;
  /** Where the word begins in the text. */
  let wordOut = 0;
  let words = 0;
  let isBehindWords = false;
  for (let at = 0; at < message.length; at += 1) {
    const code = message.charCodeAt(at);
    if (at === wordStart && level === undefined && words < LEVEL_WORDS && code !== SPACE) {
      level = levelAt(message, at, isBehindWords);
    }
    if (code === SPACE) {
      if (words < LEVEL_WORDS) isBehindWords ||= isWord(message, wordStart, at);
      wordStart = at + 1;
      wordOut = text.length + wordStart - from;
      words += 1;
    } else if (isDigit(code)) {
      const hexEnd = wordStart < from ? -1 : endOfHex(message, wordStart);
      const isHex = hexEnd > at;
      const nameEnd = isHex ? -1 : endOfName(message, wordStart, at);
      if (nameEnd !== -1) {
        text = (text + message.slice(from, at)).slice(0, wordOut) + MARK;
        from = nameEnd;
        at = from - 1;
        continue;
      }
      text += message.slice(from, isHex ? wordStart : at) + MARK;
      from = isHex ? hexEnd : endOfNumber(message, at);
      at = from - 1;
    }
  }
  return { text: text + message.slice(from), level };
}

/** Whether only letters are there. */
function isWord(message: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isLetterCode(message.charCodeAt(at))) return false;
  return end > start;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Where a word ends that is a hexadecimal number or a UUID; -1 for another one. */
function endOfHex(message: string, wordStart: number): number {
  let at = wordStart;
  for (; at < message.length; at += 1) {
    const code = message.charCodeAt(at) | 32;
    const isHex = isDigit(code) || (code >= 97 && code <= 102) || code === 45 || code === 120;
    if (!isHex) break;
  }
  const isWhole = at >= message.length || !isLetterCode(message.charCodeAt(at));
  return isWhole && at - wordStart >= MIN_HEX_CHARACTERS ? at : -1;
}

/** Where a word ends that has a digit after a letter, as names and versions have; -1 for paths, members and others. */
function endOfName(message: string, wordStart: number, at: number): number {
  if (at === wordStart || !isLetterCode(message.charCodeAt(at - 1))) return -1;
  const space = message.indexOf(" ", at);
  const end = space === -1 ? message.length : space;
  return PARTED.test(message.slice(wordStart, end)) ? -1 : end;
}

function isLetterCode(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** After digits and what joins them in times, versions and addresses. */
function endOfNumber(message: string, start: number): number {
  let at = start + 1;
  for (; at < message.length; at += 1) {
    const code = message.charCodeAt(at);
    // A comma, a dash, a dot, a slash, a colon.
    const isJoint = (code >= 44 && code <= 47) || code === 58;
    if (!isDigit(code) && !isJoint) break;
  }
  return at;
}
