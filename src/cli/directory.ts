import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";

import { readSettings } from "../options/read-settings.js";
import type { Settings } from "../options/setting-rules.js";
import { codeOf } from "../util/files.js";
import type { Command, Given, Surroundings } from "./command.js";
import { printable } from "./print/printable.js";
import { wrongUsage } from "./wrong-usage.js";

/** Options of every command that works on a directory of stored outputs. */
export const DIRECTORY_OPTIONS: Command["options"] = {
  directory: { type: "string", completes: "directory" },
  config: { type: "string", completes: "file" },
  json: { type: "boolean" },
};

/**
 * The directory of the stored outputs, as an absolute path: of the option, the environment, the file,
 * or the system's temporary directory. Problems of the settings go to standard error and stop nothing.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when something else is in its place.
 */
export async function directoryOf(given: Given, { env, err }: Surroundings): Promise<string> {
  const { values, problems } = readSettings({ env, file: given.text("config") });
  for (const problem of problems) await err.write(`${printable(problem)}\n`);
  const directory = resolveDirectory(given, values);
  await checkDirectory(directory);
  return directory;
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
