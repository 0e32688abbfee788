import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { findSqlPlace, type SqlPlace } from "../../core/engines/sql/start.js";
import { packageJson } from "../package-json.js";
import type { Check } from "./check.js";

type Version = readonly [major: number, minor: number, patch: number];

/** The check of the Node.js that runs this. */
export function checkNode(version: string = process.versions.node): Check {
  const wanted = packageJson().engines.node;
  const isMet = satisfies(version, wanted);
  return {
    name: "node",
    state: isMet ? "ok" : "fault",
    detail: isMet ? `${version} (${wanted})` : `${version}; ${wanted} is needed`,
  };
}

/** The checks of the packages that stand beside this one, as this one finds them. */
export function checkPeers(from: string = dirname(fileURLToPath(import.meta.url))): Check[] {
  const { peerDependencies, peerDependenciesMeta } = packageJson();
  return Object.entries(peerDependencies).map(([name, range]) => {
    const optional = peerDependenciesMeta[name]?.optional === true ? "optional, " : "";
    const version = installedVersion(name, from);
    if (version === undefined) {
      const state = optional === "" ? "warning" : "missing";
      return { name, state, detail: `not installed (${optional}${range})` };
    }
    const state = satisfies(version, range) ? "ok" : "warning";
    return { name, state, detail: `${version} (${optional}${range})` };
  });
}

/** The check of the SQL tool that an agent has by itself. */
export function checkSql({ duckdb, reason }: SqlPlace = findSqlPlace()): Check {
  return duckdb === undefined
    ? { name: "sql", state: "missing", detail: `off (optional): ${reason}` }
    : { name: "sql", state: "ok", detail: "on by itself" };
}

/** The version of a package in the nearest `node_modules`, as Node.js looks for it. */
function installedVersion(name: string, from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    try {
      const file = join(directory, "node_modules", name, "package.json");
      const parsed: { readonly version?: unknown } = JSON.parse(readFileSync(file, "utf8"));
      return String(parsed.version);
    } catch {
      if (directory === dirname(directory)) return undefined;
    }
  }
}

/**
 * Whether a version is in a range of the forms that this package uses: `>=a.b`, `^a.b.c`, several with
 * `||`. A pre-release counts as its release.
 */
export function satisfies(version: string, range: string): boolean {
  const have = versionOf(version);
  return range.split("||").some((part) => {
    const least = versionOf(part);
    const isSame = !part.includes("^") || have[0] === least[0];
    return isSame && compare(have, least) >= 0;
  });
}

function versionOf(text: string): Version {
  const [, major, minor, patch] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)];
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
