import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { findSqlPlace } from "../core/engines/sql/start.js";
import { DEFAULT_TEXT_TOKENS } from "../core/options/resolve.js";
import { type ReadSettings, readSettings, variableOf } from "../presets/lro/read-settings.js";
import { SETTING_KEYS, SETTING_RULES } from "../presets/lro/setting-rules.js";
import { counted } from "../util/amounts.js";
import { codeOf } from "../util/files.js";
import type { Call, ExitCode } from "./call.js";
import { paintFor, printableLine, table, writeFound } from "./print.js";

const require = createRequire(import.meta.url);
const COLOURS = { ok: "green", missing: "dim", warning: "yellow", fault: "red" } as const;

/**
 * One line of the report. `missing`: something optional is not there; `warning`: something is not as it should be and is
 * worked round; `fault`: something that is needed is not as it must be.
 */
interface Check {
  readonly name: string;
  readonly state: keyof typeof COLOURS;
  readonly detail: string;
}

interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** `doctor`: what is configured, where from, and what is missing. */
export async function doctor(call: Call): Promise<ExitCode> {
  const own: PackageJson = require("langchain-offload/package.json");
  const config = call.texts["config"];
  const read = readSettings({ env: call.env, file: config });
  const settings = settingsInForce(read, call.texts["directory"], config);
  const checks = [
    ...checkVersions(own),
    ...settings.map(checkSetting),
    ...read.problems.map((detail): Check => ({ name: "settings", state: "warning", detail })),
    checkDirectory(settings),
    checkSql(),
  ];
  const of = (state: Check["state"]): number =>
    checks.filter((check) => check.state === state).length;
  const faults = of("fault");
  const rows = checks.map(({ name, state, detail }) => [state, name, printableLine(detail)]);
  const paint = paintFor(call);
  const lines = table(rows).map((line, index) => {
    const { state } = checks[index] ?? { state: "ok" };
    return line.replace(state, paint(COLOURS[state], state));
  });
  const missing = `${counted(of("missing"), "optional part")} missing`;
  await writeFound(call, { version: own.version, settings, checks, faults }, [
    `langchain-offload ${own.version}\n\n`,
    ...lines,
    `\n${counted(faults, "fault")}, ${counted(of("warning"), "warning")}, ${missing}\n`,
  ]);
  return faults === 0 ? 0 : 2;
}

/** One setting in force, by its key in the TOML file. */
interface SettingInForce {
  readonly key: string;
  readonly value: string | number | boolean;
  /** `--directory`, the variable, the file, or `default`. */
  readonly source: string;
}

function settingsInForce(
  { values, sources }: ReadSettings,
  directory: string | undefined,
  config: string = "",
): SettingInForce[] {
  return SETTING_KEYS.map((name) => {
    const rule = SETTING_RULES[name];
    const key = rule.fileKey;
    if (name === "outputDir" && directory !== undefined)
      return { key, value: directory, source: "--directory" };
    const places = { environment: variableOf(rule), file: config, default: "default" };
    return { key, value: values[name], source: places[sources[name]] };
  });
}

function checkSetting({ key, value, source }: SettingInForce): Check {
  const shown = value === "" ? '""' : String(value);
  const isOpen = key === SETTING_RULES.thresholdTokens.fileKey && source === "default";
  const ofText = isOpen ? `; ${DEFAULT_TEXT_TOKENS} without records` : "";
  return { name: key, state: "ok", detail: `${shown} (${source}${ofText})` };
}

/** Whether outputs can be stored where the settings say. */
function checkDirectory(settings: readonly SettingInForce[]): Check {
  const given = settings.find(({ key }) => key === SETTING_RULES.outputDir.fileKey)?.value;
  const directory = resolve(String(given || tmpdir()));
  try {
    accessSync(`${directory}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name: "directory", state: "ok", detail: directory };
  } catch (error) {
    const isNew = codeOf(error) === "ENOENT";
    const detail = isNew
      ? `${directory} is made with the first output`
      : `${directory} is no directory that can be read and written (${codeOf(error)}); set another output_dir`;
    return { name: "directory", state: isNew ? "ok" : "fault", detail };
  }
}

/** Node.js, and the packages that stand beside this one, as this one finds them. */
function checkVersions({ engines, peerDependencies, peerDependenciesMeta }: PackageJson): Check[] {
  const node = checkVersion("node", process.versions.node, engines.node, "");
  const peers = Object.entries(peerDependencies).map(([name, range]) => {
    const isOptional = peerDependenciesMeta[name]?.optional === true;
    return checkVersion(name, installedVersion(name), range, isOptional ? "optional, " : "");
  });
  return [node.state === "ok" ? node : { ...node, state: "fault" }, ...peers];
}

function checkVersion(
  name: string,
  version: string | undefined,
  range: string,
  optional: string,
): Check {
  const detail = `${version ?? "not installed"} (${optional}${range})`;
  if (version === undefined)
    return { name, state: optional === "" ? "warning" : "missing", detail };
  return { name, state: satisfies(version, range) ? "ok" : "warning", detail };
}

/** The SQL tool that an agent has by itself. */
function checkSql(): Check {
  const { duckdb, reason } = findSqlPlace();
  return duckdb === undefined
    ? { name: "sql", state: "missing", detail: `off (optional): ${reason}` }
    : { name: "sql", state: "ok", detail: "on by itself" };
}

/** The version of a package in the nearest `node_modules`, as Node.js looks for it. */
function installedVersion(name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const found: { readonly version?: unknown } = require(join(folder, name, "package.json"));
      return String(found.version);
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

/**
 * Whether a version is in a range of the forms that this package uses: `>=a.b`, `^a.b.c`, several with
 * `||`. A pre-release counts as its release.
 */
export function satisfies(version: string, range: string): boolean {
  return range.split("||").some((part) => {
    const least = part.replace(/^\D+/, "").trim();
    const isSame = !part.includes("^") || parseInt(version, 10) === parseInt(least, 10);
    return isSame && version.localeCompare(least, "en", { numeric: true }) >= 0;
  });
}
