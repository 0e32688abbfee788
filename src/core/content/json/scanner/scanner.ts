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
export const AT_LIMIT = 0;
export const INVALID = 1;
export const OPENED = 2;
export const CLOSED = 3;
export const CLOSED_EMPTY = 4;
export const SEPARATED = 5;
export const DOCUMENT_ENDED = 7;
export const DOCUMENT_FOLLOWS = 8;

export const WINDOW_START = 8_193;
export const WINDOW_BYTES: number = 1 << 18;
/** Of an escape or a literal, which is not split. */
export const LOOKAHEAD_BYTES = 8;

const NUMBERS_START = 512;
const KINDS_START = 327_680;

interface WasmRuntime {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: ScannerExports };
}

interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly read: (limit: number, end: number) => number;
}

export interface Scanner {
  readonly memory: Buffer;
  readonly state: Int32Array;
  readonly kinds: Int32Array;
  readonly read: ScannerExports["read"];
}

let scanner: Scanner | "none" | undefined;

/** `undefined` without WebAssembly (`node --jitless`) or address space. */
export function loadedScanner(): Scanner | undefined {
  scanner ??= load();
  return scanner === "none" ? undefined : scanner;
}

function load(): Scanner | "none" {
  try {
    const { Module, Instance }: WasmRuntime = Reflect.get(globalThis, "WebAssembly");
    const { exports } = new Instance(new Module(Buffer.from(SCANNER_BYTES, "base64")));
    const { buffer } = exports.memory;
    new Uint8Array(buffer).set(NUMBER_STATES, NUMBERS_START);
    return {
      memory: Buffer.from(buffer),
      state: new Int32Array(buffer, 0, STATE_LENGTH),
      kinds: new Int32Array(buffer, KINDS_START),
      read: exports.read,
    };
  } catch {
    return "none";
  }
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
