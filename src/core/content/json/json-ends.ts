const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEAR_BYTES = 64;

/** Index after the closing quote of the JSON string that opens at `open`; the text's length where it does not close. */
export function endOfString(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  while (close !== -1) {
    let backslashes = 0;
    while (json.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
    close = json.indexOf('"', close + 1);
  }
  return json.length;
}

/** The same in UTF-8. */
export function endOfStringBytes(json: Buffer, open: number): number {
  // Most strings are short, and a search has its price.
  const near = Math.min(json.length, open + NEAR_BYTES);
  let at = open + 1;
  while (at < near) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  let close = json.indexOf(QUOTE, at);
  while (close !== -1) {
    let backslashes = 0;
    while (json[close - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
    close = json.indexOf(QUOTE, close + 1);
  }
  return json.length;
}

/** Index after the JSON value that begins at `start`; the text's length where it does not end. */
export function endOfValue(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return endOfString(json, start);
  if (!isOpening(first)) return endOfScalar(json, start);
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    at = code === QUOTE ? endOfString(json, at) : at + 1;
    if (depth === 0) return at;
  }
  return json.length;
}

function endOfScalar(json: string, start: number): number {
  let at = start;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === COMMA || isClosing(code) || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Whether a container opens. */
export function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

/** Whether it is white space of JSON. */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
