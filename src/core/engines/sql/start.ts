import * as nodeModule from "node:module";
import { basename } from "node:path";

import { refuseOptions } from "../../types/errors.js";
import { DUCKDB, findDuckdb } from "./duckdb-path.js";
import type { SqlOptions } from "./request.js";

interface Surroundings {
  readonly execPath: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly permission?: { has(name: string): boolean } | undefined;
  /** In bytes; 0, or more than exists, means no limit. */
  readonly constrainedMemory?: () => number;
}

const RUNTIME = /^(?:node|nodejs|bun|deno)[\d.-]{0,20}(?:\.exe)?$/i;

const MEMORY_SHARE = 1 / 4;
const LEAST_MEMORY_MB = 1_024;
const MAX_MEMORY_MB = 512;

/**
 * Its memory in MiB; `undefined` if its process could not be started, or would have too little. Never throws.
 *
 * @param duckdb - Finds the package.
 */
export function sqlMemoryMb(
  surroundings: Surroundings = process,
  duckdb: () => string | undefined = findDuckdb,
): number | undefined {
  try {
    const { execPath, versions, permission } = surroundings;
    const isRuntime = RUNTIME.test(basename(execPath)) && versions["electron"] === undefined;
    // Packages may be in archives, and child processes forbidden.
    if (!isRuntime || versions["pnp"] !== undefined || permission?.has("child") === false)
      return undefined;
    const allowedMb = (surroundings.constrainedMemory?.() || Infinity) / 2 ** 20;
    const path = allowedMb < LEAST_MEMORY_MB ? undefined : duckdb();
    if (path === undefined || !hasNativePart(path)) return undefined;
    return Math.min(MAX_MEMORY_MB, Math.floor(allowedMb * MEMORY_SHARE));
  } catch {
    return undefined;
  }
}

function hasNativePart(duckdb: string): boolean {
  const bindings = nodeModule.createRequire(duckdb).resolve("@duckdb/node-bindings");
  const { resolve } = nodeModule.createRequire(bindings);
  const own = `@duckdb/node-bindings-${process.platform}-${process.arch}`;
  return [own, `${own}-musl`].some((name) => {
    try {
      return resolve(`${name}/duckdb.node`) !== "";
    } catch {
      return false;
    }
  });
}

let found: { readonly maxMemoryMb: number | undefined } | undefined;

/**
 * `undefined` without SQL, or if `"auto"` finds that it cannot run.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` if options are given and the package is missing.
 */
export function resolveSql(
  asked: "auto" | false | SqlOptions,
  duckdb: () => string | undefined = findDuckdb,
): SqlOptions | undefined {
  if (asked === false) return undefined;
  if (asked === "auto") {
    const { maxMemoryMb } = (found ??= { maxMemoryMb: sqlMemoryMb() });
    return maxMemoryMb === undefined ? undefined : { maxMemoryMb };
  }
  if (duckdb() === undefined) {
    refuseOptions(`SQL needs the package "${DUCKDB}", which is not installed.`);
  }
  return asked;
}
