import { readFile } from "node:fs/promises";

import { wasm, type WasmModule } from "../../core/engines/wasm-runtime.js";

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
/** Of a memory's limits: whether there is a maximum. */
const NO_MAXIMUM = 0;
const WITH_MAXIMUM = 1;
const PAGE_BYTES = 65_536;
/** What the engine has for itself, its data and its stack, and what is left to tell of an error. */
const OWN_PAGES = 96;

/** By file and limit, for all engines of the process: what V8 has made fast stays so. */
const compiled = new Map<string, WasmModule>();

/**
 * Compiles a WebAssembly file whose one memory then has a maximum: the guest's limit, and what its engine has for
 * itself. The engine's own limit counts what is live, and lets its memory grow to twice as much.
 *
 * @throws When the file cannot be read, or is none whose memory is its own and has no maximum yet.
 */
export async function compileBounded(path: string, maxBytes: number): Promise<WasmModule> {
  const maxPages = Math.ceil(maxBytes / PAGE_BYTES) + OWN_PAGES;
  const key = `${maxPages} ${path}`;
  const module =
    compiled.get(key) ?? (await wasm().compile(withMaximum(await readFile(path), maxPages)));
  compiled.set(key, module);
  return module;
}

/** The same module with a maximum of its memory, in pages of 64 KiB. */
export function withMaximum(bytes: Buffer, maxPages: number): Buffer {
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const [size, start] = readNumber(bytes, at + 1);
    const end = start + size;
    if (bytes[at] !== MEMORY_SECTION) {
      at = end;
      continue;
    }
    const [count, kindAt] = readNumber(bytes, start);
    const [least, next] = readNumber(bytes, kindAt + 1);
    if (count !== 1 || bytes[kindAt] !== NO_MAXIMUM || next !== end) break;
    const limits = [1, WITH_MAXIMUM, ...numberBytes(least), ...numberBytes(maxPages)];
    const section = [MEMORY_SECTION, ...numberBytes(limits.length), ...limits];
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(section), bytes.subarray(end)]);
  }
  throw new Error("This module has not the one memory without a maximum that is expected.");
}

/** A number in LEB128, and where it ends. */
function readNumber(bytes: Buffer, start: number): readonly [value: number, end: number] {
  let value = 0;
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error("This module ends too early.");
    value += (byte % 128) * factor;
    if (byte < 128) return [value, at + 1];
  }
}

function numberBytes(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...numberBytes(Math.floor(value / 128))];
}
