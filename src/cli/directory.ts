import { tmpdir } from "node:os";
import { resolve } from "node:path";

import { readSettings } from "../config/read-settings.js";
import type { Settings } from "../config/setting-rules.js";
import type { Command, Given, Surroundings } from "./command.js";
import { printable } from "./printable.js";

/** Options of every command that works on a directory of stored outputs. */
export const DIRECTORY_OPTIONS: Command["options"] = {
  directory: { type: "string", completes: "directory" },
  config: { type: "string", completes: "file" },
  json: { type: "boolean" },
};

/**
 * The directory of the stored outputs, as an absolute path: of the option, the environment, the file,
 * or the system's temporary directory. Problems of the settings go to standard error and stop nothing.
 */
export async function directoryOf(given: Given, { env, err }: Surroundings): Promise<string> {
  const { values, problems } = readSettings({ env, file: given.text("config") });
  for (const problem of problems) await err.write(`${printable(problem)}\n`);
  return resolveDirectory(given, values);
}

/** As {@link directoryOf}, from settings that are read. */
export function resolveDirectory(given: Given, { outputDir }: Settings): string {
  return resolve(given.text("directory") ?? (outputDir || tmpdir()));
}
