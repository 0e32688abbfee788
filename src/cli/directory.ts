import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";

import { OffloadError } from "../core/types/errors.js";
import { readSettings } from "../presets/lro/read-settings.js";
import type { Settings } from "../presets/lro/setting-rules.js";
import { codeOf } from "../util/files.js";
import type { Command, Given, Surroundings } from "./command.js";
import { plainCommandLine } from "./command-line.js";
import { printable } from "./print/printable.js";
import { programName } from "./program-name.js";
import { readText } from "./input/read-text.js";
import { wrongUsage } from "./wrong-usage.js";

/** Options of every command that works on a directory of stored outputs. */
export const DIRECTORY_OPTIONS: Command["options"] = {
  directory: { type: "string" },
  config: { type: "string" },
  json: { type: "boolean" },
};

/** As long as a file of settings may be. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * The directory of the stored outputs, as an absolute path: of the option, the environment, the file,
 * or the system's temporary directory. Values that are not allowed go to standard error and stop nothing.
 *
 * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND` when it is not there, `INVALID_ARGUMENTS` when something
 * else is in its place or the file of `--config` cannot be read.
 */
export async function directoryOf(given: Given, surroundings: Surroundings): Promise<string> {
  const directory = await configuredDirectory(given, surroundings);
  await checkDirectory(directory);
  if (await isThere(directory)) return directory;
  const config = given.text("config");
  const doctor = ["doctor", ...(config === undefined ? [] : ["--config", config])];
  throw new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `There is no directory ${directory}: nothing has been stored there. ` +
      `${plainCommandLine(programName(surroundings), doctor)} says where agents store by default.`,
  );
}

/** Whether a path leads to anything. */
export async function isThere(directory: string): Promise<boolean> {
  return await stat(directory).then(
    () => true,
    (error: unknown) => codeOf(error) !== "ENOENT",
  );
}

/** The same, whether it is there or not. */
export async function configuredDirectory(
  given: Given,
  surroundings: Surroundings,
): Promise<string> {
  await checkConfig(given, surroundings);
  const { env, err } = surroundings;
  const { values, problems } = readSettings({ env, file: given.text("config") });
  for (const problem of problems) await err.write(`${printable(problem)}\n`);
  return resolveDirectory(given, values);
}

/** The options by which another command finds the same directory. */
export function directoryArgs(given: Given): Readonly<Record<string, string>> {
  const directory = given.text("directory");
  if (directory !== undefined) return { directory };
  const config = given.text("config");
  return config === undefined ? {} : { config };
}

/**
 * An agent goes on without its file of settings; a person who names one wants that one.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the file of `--config` cannot be read.
 */
export async function checkConfig(given: Given, surroundings: Surroundings): Promise<void> {
  const file = given.text("config");
  if (file === undefined) return;
  // A pipe would be empty when the settings are read.
  const isOther = await stat(file).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );
  if (isOther)
    throw wrongUsage(`${JSON.stringify(file)} cannot be read: it is not a regular file.`);
  await readText(file, MAX_CONFIG_BYTES, surroundings);
}

/** As {@link directoryOf}, from settings that are read. */
function resolveDirectory(given: Given, { outputDir }: Settings): string {
  return resolve(given.text("directory") ?? (outputDir || tmpdir()));
}

/**
 * A directory that is not there yet is none of the faults.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the path leads to what is no directory, or through
 * it.
 */
export async function checkDirectory(path: string): Promise<void> {
  const isOther = await stat(path).then(
    (found) => !found.isDirectory(),
    (error: unknown) => ["ENOTDIR", "ELOOP"].includes(codeOf(error) ?? ""),
  );
  if (isOther) throw wrongUsage(`${path} is no directory.`);
}
