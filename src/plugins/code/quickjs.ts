import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { findInstalled } from "../../core/engines/find-package.js";
import { wasm, type WasmModule } from "../../core/engines/wasm-runtime.js";
import { refuseOptions } from "../../core/types/errors.js";
import { fieldOf } from "../../util/field-of.js";

const PACKAGE = "quickjs-wasi";
const VERSION = "3.7.0";
const INSTALL = `Run: npm install ${PACKAGE}@${VERSION}.`;

/** The memory section of that version: one memory of at least 18 pages, without a maximum. */
const LEAST_PAGES = 18;
const MEMORY_SECTION = Buffer.from([5, 3, 1, 0, LEAST_PAGES]);
const PAGE_BYTES = 65_536;
const OWN_PAGES = 96;

/**
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package is not installed, or in
 * a version that is not known to keep its limits.
 */
export function quickjsPath(): string {
  const found = findInstalled(`${PACKAGE}/package.json`);
  if (found === undefined) {
    refuseOptions(`code() needs the package ${PACKAGE}, which is not installed. ${INSTALL}`);
  }
  checkVersion(String(fieldOf(JSON.parse(readFileSync(found, "utf8")), "version")));
  return join(found, "../quickjs.wasm");
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS`, saying which to install and why. */
export function checkVersion(version: string): void {
  if (version === VERSION) return;
  refuseOptions(
    `code() does not take ${PACKAGE} ${version.slice(0, 40)}: its sandbox is tested on ${VERSION} only, and in versions before 3.6.2 the limit of its memory does not hold. ${INSTALL}`,
  );
}

/**
 * Gives the vm's memory a maximum: the vm's limit plus QuickJS's own need. QuickJS's limit counts
 * only live data, and memory could grow to twice as much.
 * @throws as {@link quickjsPath} and {@link withMaximum} do, and when the file cannot be read.
 */
export async function compileBounded(maxBytes: number): Promise<WasmModule> {
  const maxPages = Math.ceil(maxBytes / PAGE_BYTES) + OWN_PAGES;
  return await wasm().compile(withMaximum(await readFile(quickjsPath()), maxPages));
}

/** @param maxPages - Pages of 64 KiB. @throws Error when the memory section differs. */
export function withMaximum(bytes: Buffer, maxPages: number): Buffer {
  const at = bytes.indexOf(MEMORY_SECTION);
  if (at === -1)
    throw new Error("This module does not have the expected memory without a maximum.");
  const limits = [1, 1, LEAST_PAGES, ...numberBytes(maxPages)];
  const section = Buffer.from([5, limits.length, ...limits]);
  return Buffer.concat([
    bytes.subarray(0, at),
    section,
    bytes.subarray(at + MEMORY_SECTION.length),
  ]);
}

/** LEB128. */
function numberBytes(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...numberBytes(Math.floor(value / 128))];
}
