import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { OffloadError } from "../../errors.js";

const PACKAGE = "@duckdb/node-api";
const DEPLOYED =
  "Where an application is deployed without node_modules/@duckdb, it has to be put there, " +
  'in Next.js by outputFileTracingIncludes: { "/**": ["./node_modules/@duckdb/**/*"] }.';

/**
 * The file of DuckDB's package, which is native and thus stays outside of a bundle: looked for from this module, from
 * the script that was started and from the working directory; `undefined` when it is in none of their `node_modules`.
 */
export function findDuckdb(): string | undefined {
  // A bundler may have left no address of this module, or that of the machine that built it.
  const places = [import.meta.url, process.argv[1], join(process.cwd(), "package.json")];
  for (const place of places) {
    try {
      if (place) return createRequire(addressOf(place)).resolve(PACKAGE);
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}

/**
 * The file of DuckDB's package.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when it is not installed.
 */
export function duckdbPath(): string {
  const found = findDuckdb();
  if (found !== undefined) return found;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `sqlEngine() needs the package ${PACKAGE}, which is not installed. Run: npm install ${PACKAGE}. ` +
      DEPLOYED,
  );
}

/** The sentence for a process that could not be started, or has not found the native part of the package. */
export function cannotStart(why: string): string {
  const sentence = `SQL cannot start here: ${why.split("\n", 1)[0]}.`;
  return why.includes("duckdb") ? `${sentence} ${DEPLOYED}` : sentence;
}

function addressOf(place: string): string {
  return place.startsWith("file:") ? place : pathToFileURL(place).href;
}
