import { SCANNER_BYTES } from "./scanner-bytes.js";

// Indexes of the scan state, with offsets in the scanner's memory.
export const READ = 0;
export const GAP = 1;
/** First byte not moved yet. */
export const KEPT = 2;
export const EXPECTS = 3;
export const DEPTH = 4;
export const FOLLOWED = 5;
export const KEY_START = 6;
export const NUMBER_STATE = 7;
export const LINE_ENDED = 8;
export const KEY_END = 9;
export const SEPARATORS = 11;
export const REPORT_AT = 12;
export const MARK = 13;
export const OBJECTS = 14;
/** Length of the last number; the next entry is 1 after a number of more than 15 bytes or with an exponent. */
export const LONG_NUMBERS = 16;
export const STATE_LENGTH = 17;

export const VALUE = 0;
export const ROOT_ENDED = 6;
export const IN_NUMBER = 9;

// The reported byte has been read, except for the last two.
export const INVALID = 1;
export const OPENED = 2;
export const CLOSED = 3;
export const CLOSED_EMPTY = 4;
export const SEPARATED = 5;
export const DOCUMENT_ENDED = 7;
export const DOCUMENT_FOLLOWS = 8;
export const KINDS_FULL = 9;

export const WINDOW_START = 8_193;
export const WINDOW_BYTES: number = 1 << 18;
/** Of an escape or a literal, which is not split. */
export const LOOKAHEAD_BYTES = 8;

const NUMBERS_START = 512;
const KINDS_START = 327_680;
const PAGE_BYTES = 65_536;
const PAGES_MORE = 16;

interface WasmRuntime {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: ScannerExports };
}

interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly read: (limit: number, end: number) => number;
}

export interface Scanner {
  readonly memory: Buffer;
  readonly state: Int32Array;
  readonly kinds: Int32Array;
  readonly read: ScannerExports["read"];
}

let loaded: ScannerExports | "none" | undefined;
let scanner: Scanner | undefined;

/** `undefined` without WebAssembly (`node --jitless`) or address space. */
export function scannerFor(depth: number): Scanner | undefined {
  loaded ??= load();
  if (loaded === "none") return undefined;
  const { memory } = loaded;
  const neededBytes = KINDS_START + (depth >> 3) + PAGE_BYTES;
  const missingPages = Math.ceil((neededBytes - memory.buffer.byteLength) / PAGE_BYTES);
  if (missingPages > 0 && !grew(memory, missingPages + PAGES_MORE)) return undefined;
  // Growing replaces the buffer.
  if (scanner?.memory.buffer !== memory.buffer) scanner = viewsOf(loaded);
  return scanner;
}

function load(): ScannerExports | "none" {
  try {
    const { Module, Instance }: WasmRuntime = Reflect.get(globalThis, "WebAssembly");
    const { exports } = new Instance(new Module(Buffer.from(SCANNER_BYTES, "base64")));
    new Uint8Array(exports.memory.buffer).set(NUMBER_STATES, NUMBERS_START);
    return exports;
  } catch {
    return "none";
  }
}

function grew(memory: ScannerExports["memory"], pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch {
    return false;
  }
}

function viewsOf({ memory: { buffer }, read }: ScannerExports): Scanner {
  return {
    memory: Buffer.from(buffer),
    state: new Int32Array(buffer, 0, STATE_LENGTH),
    kinds: new Int32Array(buffer, KINDS_START),
    read,
  };
}

export const NUMBER_END = 14;
const STATES = "231ffff 23fffff ffee46e 33ee46e 55fffff 55eee6e 8877fff 88fffff 88eeeee".split(" ");

/** The state after one more byte, at `(state << 8) | byte`; from 14 on, how the number ended. */
export const NUMBER_STATES: Uint8Array = Uint8Array.from({ length: STATES.length << 8 }, (_, at) =>
  Number.parseInt(STATES[at >> 8]?.[columnOf(at & 0xff)] ?? "f", 16),
);

function columnOf(byte: number): number {
  const place = "0-+.eE123456789".indexOf(String.fromCharCode(byte));
  return [0, 2, 3, 4, 5, 5][place] ?? (place === -1 ? 6 : 1);
}
