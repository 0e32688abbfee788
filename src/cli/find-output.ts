import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, resolve, sep } from "node:path";

import { artifactInDirectory, listDirectory } from "../core/store/file/directory.js";
import { sessionFolder } from "../core/store/file/files.js";
import { artifactIdIn } from "../core/store/naming.js";
import type { StoredArtifact } from "../core/types/artifact.js";
import { OffloadError } from "../core/types/errors.js";
import { readSettings } from "../presets/lro/settings.js";
import { codeOf } from "../util/files.js";
import { printable } from "../util/safe-text.js";
import { type Call, wrongUsage } from "./call.js";
import { type DirectoryArgs, shellLine } from "./command-line.js";
import { date } from "./print.js";

interface FoundOutput {
  readonly directory: string;
  readonly artifact: StoredArtifact;
  /** The option for the directory, for the next command. */
  readonly given: DirectoryArgs;
}

/**
 * Finds an output by id, file name, path, or `latest`. A path implies its directory. The session is that of the
 * record, so the caller acts as the owner of the files.
 * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND`, `ARTIFACT_EXPIRED` or `STORE_READ_FAILED`.
 */
export async function findOutput(
  call: Call,
  reference: string = call.operands[0] ?? "",
): Promise<FoundOutput> {
  const isPath = reference.includes("/") || reference.includes(sep);
  const directory = isPath ? dirname(resolve(reference)) : await directoryOf(call);
  const name = isPath ? basename(reference) : reference;
  const id = artifactIdIn(name);
  const artifact =
    name === "latest"
      ? (await listDirectory(directory, call.now())).artifacts.at(-1)
      : id && (await artifactInDirectory(directory, id));
  const given = { directory: isPath ? directory : call.texts["directory"] };
  if (!artifact) {
    const next = shellLine(["ls"], given);
    throw new OffloadError(
      "ARTIFACT_NOT_FOUND",
      `There is no stored output ${JSON.stringify(reference)} in ${directory}. ${next} lists what is there.`,
    );
  }
  if (artifact.expiresAt <= call.now()) {
    throw new OffloadError(
      "ARTIFACT_EXPIRED",
      `${artifact.fileName} expired at ${date(artifact.expiresAt)}. Run the agent again for a new one.`,
    );
  }
  const folder = dirname(artifact.filePath ?? directory);
  const parent = dirname(folder);
  const isOfSession = folder === sessionFolder(parent, artifact.sessionKey);
  return { directory: isOfSession ? parent : folder, artifact, given };
}

/**
 * The absolute directory of the stored outputs. Invalid settings are only reported on standard error.
 * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND` when it does not exist, and `INVALID_ARGUMENTS` when it
 * is no directory.
 */
export async function directoryOf(call: Call): Promise<string> {
  const { given, problems } = readSettings({ env: call.env });
  for (const problem of problems) await call.err.write(`${printable(problem)}\n`);
  const directory = resolve(call.texts["directory"] ?? (given.output_dir || tmpdir()));
  if (await isDirectory(directory)) return directory;
  throw new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `There is no directory ${directory}: nothing has been stored there.`,
  );
}

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the path, or a part of it, is no directory. */
export async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(codeOf);
  const isOther =
    typeof found === "object" ? !found.isDirectory() : found !== "ENOENT" && found !== "EACCES";
  if (isOther) throw wrongUsage(`${path} is not a directory.`);
  return found !== "ENOENT";
}
