/** What tells whose message it is, when the message itself could not be kept. */
export interface Envelope {
  /** JSON of the id, as it stands in the message; `undefined` when there is none, or none was found. */
  readonly id: string | undefined;
  /** Whether the message names a method: a request or a notification, and no answer. */
  readonly hasMethod: boolean;
  /** Whether it names a version of JSON-RPC, as no line of a log does. */
  readonly isRpc: boolean;
}

/** Finds the envelope of a JSON-RPC message whose bytes pass by and are not kept. */
export interface EnvelopeScan {
  feed(bytes: Uint8Array): void;
  end(): Envelope;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
/** White space, and the byte order mark that some programs begin their output with. */
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
/** Longest member that is looked at, in bytes, its key included. */
const MAX_MEMBER_BYTES = 1024;

/**
 * Looks at the members of the outermost object that are no objects or arrays. A batch has none, and neither has what
 * begins otherwise, such as a line of a log with a message in it.
 */
export function createEnvelopeScan(): EnvelopeScan {
  const member = Buffer.alloc(MAX_MEMBER_BYTES);
  let length = 0;
  let isWhole = true;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let id: string | undefined;
  let hasMethod = false;
  let isRpc = false;
  /** Whether the outermost object is still to come, passes by, or is over. */
  let object: "to come" | "here" | "over" = "to come";

  function keep(byte: number): void {
    if (depth !== 1) return;
    if (length < MAX_MEMBER_BYTES) member[length] = byte;
    else isWhole = false;
    length += 1;
  }

  function endMember(): void {
    const text = isWhole ? member.toString("utf8", 0, length) : "";
    const [, key, value] = /^\s*"(id|method|jsonrpc)"\s*:([^]*)$/.exec(text) ?? [];
    // The last of equal keys counts, as for `JSON.parse`.
    if (key === "id") id = isId(value ?? "") ? value?.trim() : undefined;
    if (key === "method") hasMethod = true;
    if (key === "jsonrpc") isRpc = true;
    length = 0;
    isWhole = true;
  }

  function take(byte: number): void {
    if (inString) {
      keep(byte);
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) inString = false;
    } else if (OPENING.has(byte)) {
      if (depth === 1) isWhole = false;
      depth += 1;
    } else if (CLOSING.has(byte)) {
      if (depth === 1) endMember();
      depth -= 1;
      if (depth === 0) object = "over";
    } else if (byte === COMMA && depth === 1) endMember();
    else {
      keep(byte);
      inString = byte === QUOTE;
    }
  }

  function isOfObject(byte: number): boolean {
    if (object === "to come" && !BLANK.has(byte)) object = byte === OBJECT ? "here" : "over";
    return object === "here";
  }

  return {
    feed(bytes) {
      for (const byte of bytes) if (isOfObject(byte)) take(byte);
    },
    end: () => ({ id, hasMethod, isRpc }),
  };
}

function isId(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" || typeof value === "number";
  } catch {
    return false;
  }
}
