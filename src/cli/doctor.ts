import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { findSqlPlace } from "../core/engines/sql/start.js";
import { DEFAULT_TEXT_TOKENS } from "../core/options/resolve.js";
import { readSettings, SETTING_RULES, variableOf } from "../presets/lro/settings.js";
import { counted } from "../util/amounts.js";
import { codeOf } from "../util/files.js";
import type { Call, ExitCode } from "./call.js";
import { printableLine, table, writeFound } from "./print.js";

const require = createRequire(import.meta.url);

/** `missing`: an optional part is absent; `warning`: a problem with a workaround; `fault`: a required part is wrong. */
interface Check {
  readonly name: string;
  readonly state: "ok" | "missing" | "warning" | "fault";
  readonly detail: string;
}

interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export async function doctor(call: Call): Promise<ExitCode> {
  const own: PackageJson = require("langchain-offload/package.json");
  const { version, engines, peerDependencies, peerDependenciesMeta } = own;
  const node = checkVersion("node", process.versions.node, engines.node);
  const { duckdb, reason } = findSqlPlace();
  const checks: readonly Check[] = [
    node.state === "ok" ? node : { ...node, state: "fault" },
    ...Object.entries(peerDependencies).map(([name, range]) =>
      checkVersion(name, installedVersion(name), range, peerDependenciesMeta[name]?.optional),
    ),
    ...checkSettings(call),
    duckdb === undefined
      ? { name: "sql", state: "missing", detail: `off (optional): ${reason}` }
      : { name: "sql", state: "ok", detail: "on by itself" },
  ];
  const of = (state: Check["state"]): number =>
    checks.filter((check) => check.state === state).length;
  const faults = of("fault");
  const missing = `${counted(of("missing"), "optional part")} missing`;
  await writeFound(call, { version, checks, faults }, [
    `langchain-offload ${version}\n\n`,
    ...table(checks.map(({ name, state, detail }) => [state, name, printableLine(detail)])),
    `\n${counted(faults, "fault")}, ${counted(of("warning"), "warning")}, ${missing}\n`,
  ]);
  return faults === 0 ? 0 : 2;
}

function checkSettings({ env, texts: { config, directory } }: Call): readonly Check[] {
  const { values, sources, problems } = readSettings({ env, file: config });
  const checks = SETTING_RULES.map(({ name, key }): Check => {
    const places = { environment: variableOf(key), file: config, default: "default" };
    if (name === "outputDir" && directory !== undefined)
      return { name: key, state: "ok", detail: `${directory} (--directory)` };
    const source = places[sources[name]];
    const isOpen = name === "thresholdTokens" && source === "default";
    const ofText = isOpen ? `; ${DEFAULT_TEXT_TOKENS} without records` : "";
    return {
      name: key,
      state: "ok",
      detail: `${String(values[name]) || '""'} (${source}${ofText})`,
    };
  });
  return [
    ...checks,
    ...problems.map((detail): Check => ({ name: "settings", state: "warning", detail })),
    checkDirectory(resolve(directory ?? (values.outputDir || tmpdir()))),
  ];
}

function checkDirectory(directory: string): Check {
  const name = "directory";
  try {
    accessSync(`${directory}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, state: "ok", detail: directory };
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return { name, state: "ok", detail: `${directory} is made with the first output` };
    const detail = `${directory} is no directory that can be read and written (${codeOf(error)}); set another output_dir`;
    return { name, state: "fault", detail };
  }
}

function checkVersion(
  name: string,
  version: string | undefined,
  range: string,
  isOptional: boolean = false,
): Check {
  const detail = `${version ?? "not installed"} (${isOptional ? "optional, " : ""}${range})`;
  if (version === undefined) return { name, state: isOptional ? "missing" : "warning", detail };
  return { name, state: satisfies(version, range) ? "ok" : "warning", detail };
}

function installedVersion(name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const found: { readonly version?: unknown } = require(join(folder, name, "package.json"));
      return String(found.version);
    } catch {
      // Try the next folder.
    }
  }
  return undefined;
}

/**
 * Supports the ranges that this package uses: `>=a.b`, `^a.b.c`, several with `||`. A pre-release
 * counts as its release.
 */
export function satisfies(version: string, range: string): boolean {
  return range.split("||").some((part) => {
    const least = part.replace(/^\D+/, "").trim();
    const isSame = !part.includes("^") || parseInt(version, 10) === parseInt(least, 10);
    return isSame && version.localeCompare(least, "en", { numeric: true }) >= 0;
  });
}
