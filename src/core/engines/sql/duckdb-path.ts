import { OffloadError } from "../../types/errors.js";
import { findInstalled } from "../find-package.js";

const PACKAGE = "@duckdb/node-api";
const DEPLOYED =
  "Where an application is deployed without node_modules/@duckdb, it has to be put there, " +
  'in Next.js by outputFileTracingIncludes: { "/**": ["./node_modules/@duckdb/**/*"] }.';

/** The file of DuckDB's package, which is native and thus stays outside of a bundle. */
export function findDuckdb(): string | undefined {
  return findInstalled(PACKAGE);
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
