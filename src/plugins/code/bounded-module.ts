import { readFile } from "node:fs/promises";

import { wasm, type WasmModule } from "../../core/engines/wasm-runtime.js";

/** The memory section of the one version that is taken: one memory of 18 pages at least, without a maximum. */
const LEAST_PAGES = 18;
const MEMORY_SECTION = Buffer.from([5, 3, 1, 0, LEAST_PAGES]);
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
  const at = bytes.indexOf(MEMORY_SECTION);
  if (at === -1) throw new Error("This module has not the memory without a maximum that is known.");
  const limits = [1, 1, LEAST_PAGES, ...numberBytes(maxPages)];
  const section = Buffer.from([5, limits.length, ...limits]);
  return Buffer.concat([
    bytes.subarray(0, at),
    section,
    bytes.subarray(at + MEMORY_SECTION.length),
  ]);
}

/** A number in LEB128. */
function numberBytes(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...numberBytes(Math.floor(value / 128))];
}
