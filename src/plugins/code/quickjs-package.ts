import { readFileSync } from "node:fs";
import { join } from "node:path";

import { OffloadError } from "../../core/types/errors.js";
import { fieldOf } from "../../util/field-of.js";
import { findInstalled } from "../../core/engines/find-package.js";

const PACKAGE = "quickjs-wasi";
/** The versions whose bounds the tests have seen hold. */
const KNOWN_VERSIONS = ["3.6.2"];
const [INSTALL = ""] = KNOWN_VERSIONS.map((version) => `Run: npm install ${PACKAGE}@${version}.`);
const DEPLOYED =
  `Where an application is deployed without node_modules/${PACKAGE}, it has to be put there, ` +
  `in Next.js by outputFileTracingIncludes: { "/**": ["./node_modules/${PACKAGE}/**/*"] }.`;

/**
 * The WebAssembly file of the guest's engine.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package is not installed, or in a version that is
 * not known to hold its bounds.
 */
export function quickjsPath(): string {
  const found = findInstalled(`${PACKAGE}/package.json`);
  if (found === undefined) {
    const why = `codeEngine() needs the package ${PACKAGE}, which is not installed.`;
    throw new OffloadError("INVALID_OPTIONS", `${why} ${INSTALL} ${DEPLOYED}`);
  }
  checkVersion(String(fieldOf(JSON.parse(readFileSync(found, "utf8")), "version")));
  return join(found, "../quickjs.wasm");
}

/**
 * Refuses every version that is not known.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, saying which to install and why.
 */
export function checkVersion(version: string): void {
  if (KNOWN_VERSIONS.includes(version)) return;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `codeEngine() does not take ${PACKAGE} ${version.slice(0, 40)}: its sandbox is tested on ${KNOWN_VERSIONS.join(" and ")} only, and ` +
      `in versions before 3.6.2 the limit of its memory does not hold. ${INSTALL}`,
  );
}
