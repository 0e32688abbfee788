import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { findSqlPlace } from "../core/engines/sql/start.js";
import { DEFAULT_TEXT_TOKENS } from "../core/options/resolve.js";
import { type ReadSettings, readSettings, variableOf } from "../presets/lro/read-settings.js";
import { SETTING_KEYS, SETTING_RULES } from "../presets/lro/setting-rules.js";
import { counted } from "../util/amounts.js";
import { codeOf } from "../util/files.js";
import type { Call, ExitCode } from "./call.js";
import { paintFor, printableLine, table, writeFound } from "./print.js";

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
  const own: PackageJson = createRequire(import.meta.url)("langchain-offload/package.json");
  const config = call.text("config");
  const read = readSettings({ env: call.env, file: config });
  const settings = settingsInForce(read, call.text("directory"), config);
  const checks = [
    checkNode(own),
    ...settings.map(checkSetting),
    ...read.problems.map((detail): Check => ({ name: "settings", state: "warning", detail })),
    checkDirectory(settings),
    ...Object.keys(own.peerDependencies).map((name) => checkPeer(name, own)),
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
  const name = "directory";
  const fault = (what: string): Check => {
    return { name, state: "fault", detail: `${directory} ${what}; set another output_dir` };
  };
  try {
    if (!statSync(directory).isDirectory()) return fault("is no directory");
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, state: "ok", detail: directory };
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return fault(`cannot be read and written (${codeOf(error)})`);
    return { name, state: "ok", detail: `${directory} is made with the first output` };
  }
}

function checkNode({ engines }: PackageJson): Check {
  const { node: version } = process.versions;
  return satisfies(version, engines.node)
    ? { name: "node", state: "ok", detail: `${version} (${engines.node})` }
    : { name: "node", state: "fault", detail: `${version}; ${engines.node} is needed` };
}

/** A package that stands beside this one, as this one finds it. */
function checkPeer(name: string, { peerDependencies, peerDependenciesMeta }: PackageJson): Check {
  const range = peerDependencies[name] ?? "";
  const isOptional = peerDependenciesMeta[name]?.optional === true;
  const version = installedVersion(name);
  const detail = `${version ?? "not installed"} (${isOptional ? "optional, " : ""}${range})`;
  if (version === undefined) return { name, state: isOptional ? "missing" : "warning", detail };
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
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
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
  return range.split("||").some((part) => {
    const least = part.replace(/^\D+/, "").trim();
    const isSame = !part.includes("^") || parseInt(version, 10) === parseInt(least, 10);
    return isSame && version.localeCompare(least, "en", { numeric: true }) >= 0;
  });
}
