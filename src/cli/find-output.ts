import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, resolve, sep } from "node:path";

import {
  artifactInDirectory,
  type DirectoryListing,
  listDirectory,
} from "../core/store/file/directory.js";
import { artifactIdIn } from "../core/store/naming.js";
import type { StoredArtifact } from "../core/types/artifact.js";
import { OffloadError } from "../core/types/errors.js";
import { readSettings } from "../presets/lro/read-settings.js";
import { bytes } from "../util/amounts.js";
import { codeOf } from "../util/files.js";
import { type Call, faultOf, wrongUsage } from "./call.js";
import { type DirectoryArgs, programName, shellLine } from "./command-line.js";
import { date, printable, withProgress } from "./print.js";

/** As long as a file of settings may be. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_LISTED_IDS = 5;

/** What `ID` of a command means. */
export interface FoundOutput {
  /** Where the output lies. */
  readonly directory: string;
  readonly artifact: StoredArtifact;
  /** Options by which a next command finds the directory again; none when no option did. */
  readonly directoryArgs: DirectoryArgs;
}

/**
 * Finds the output that a person means: by id, unique beginning of one, file name, path, or `latest`. A
 * path brings its own directory. The scope comes from the output's record, so the caller acts as the
 * owner of the files, not as a session.
 *
 * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND`, `ARTIFACT_EXPIRED`, `INVALID_ARGUMENTS` when
 * several are meant, or `STORE_READ_FAILED`.
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
    id === undefined
      ? await findByName(name, directory, call)
      : await artifactInDirectory(directory, id);
  const directoryArgs = isPath ? { directory } : directoryArgsOf(call);
  if (artifact === undefined) throw await notThere(call, reference, directory, directoryArgs);
  if (artifact.expiresAt <= call.now()) {
    throw new OffloadError(
      "ARTIFACT_EXPIRED",
      `${artifact.fileName} expired at ${date(artifact.expiresAt)}. Run the agent again for a new one.`,
    );
  }
  // That of a session's folder, where it lies in one.
  return { directory: dirname(artifact.filePath ?? directory), artifact, directoryArgs };
}

async function notThere(
  call: Call,
  reference: string,
  directory: string,
  directoryArgs: DirectoryArgs,
): Promise<OffloadError> {
  const program = programName(call);
  const found = await stat(reference).catch(() => undefined);
  const where = found?.isDirectory() ? { directory: reference } : directoryArgs;
  const next = found?.isFile()
    ? `${shellLine(["describe", reference], {}, program)} shows what a model would see of that file.`
    : `${shellLine(["ls"], where, program)} lists what is there.`;
  const shown = JSON.stringify(reference.slice(0, 200));
  return new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `There is no stored output ${shown} in ${directory}. ${next}`,
  );
}

async function findByName(
  name: string,
  directory: string,
  call: Call,
): Promise<StoredArtifact | undefined> {
  const { artifacts } = await listOutputs(directory, call);
  if (name === "latest") return artifacts.at(-1);
  const meant = artifacts.filter(({ id }) => name !== "" && id.startsWith(name.toUpperCase()));
  if (meant.length <= 1) return meant[0];
  const ids = meant.slice(0, MAX_LISTED_IDS).map(({ id }) => id);
  const more = meant.length > ids.length ? ", …" : "";
  throw wrongUsage(
    `${name} begins ${meant.length} ids: ${ids.join(", ")}${more}. Write more of the one you mean.`,
  );
}

/**
 * Everything in a directory, whatever session it belongs to.
 *
 * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
 */
export async function listOutputs(directory: string, call: Call): Promise<DirectoryListing> {
  return await withProgress(call, "Reading records", () => listDirectory(directory, call.now()));
}

function directoryArgsOf(call: Call): DirectoryArgs {
  const { directory, config } = call.texts;
  if (directory !== undefined) return { directory };
  return config === undefined ? {} : { config };
}

/**
 * The directory of the stored outputs.
 *
 * @throws {@link OffloadError} as {@link configuredDirectory}, and with code `ARTIFACT_NOT_FOUND` when it is not there.
 */
export async function directoryOf(call: Call): Promise<string> {
  const directory = await configuredDirectory(call);
  if (await isDirectory(directory)) return directory;
  const { config } = call.texts;
  throw new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `There is no directory ${directory}: nothing has been stored there. ` +
      `${shellLine(["doctor"], config === undefined ? {} : { config }, programName(call))} says where agents store by default.`,
  );
}

/**
 * The same, whether it is there or not, as an absolute path: of the option, the environment, the file, or the system's
 * temporary directory. Values that are not allowed go to standard error and stop nothing.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when something else is in its place, or the file of
 * `--config` cannot be read.
 */
export async function configuredDirectory(call: Call): Promise<string> {
  await checkConfig(call);
  const { values, problems } = readSettings({ env: call.env, file: call.texts["config"] });
  for (const problem of problems) await call.err.write(`${printable(problem)}\n`);
  const directory = resolve(call.texts["directory"] ?? (values.outputDir || tmpdir()));
  await isDirectory(directory);
  return directory;
}

/**
 * Whether a directory is there.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the path leads to what is no directory, or through it.
 */
export async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(codeOf);
  const isOther =
    typeof found === "object" ? !found.isDirectory() : found !== "ENOENT" && found !== "EACCES";
  if (isOther) throw wrongUsage(`${path} is no directory.`);
  return found !== "ENOENT";
}

/**
 * An agent goes on without its file of settings; a person who names one wants that one.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the file of `--config` cannot be read.
 */
export async function checkConfig(call: Call): Promise<void> {
  const file = call.texts["config"];
  if (file === undefined) return;
  const found = await stat(file).catch(() => undefined);
  // A pipe would be empty when the settings are read.
  if (found?.isFile() === false && !found.isDirectory())
    throw wrongUsage(`${JSON.stringify(file)} cannot be read: it is not a regular file.`);
  await readText(file, MAX_CONFIG_BYTES, call);
}

/**
 * The text of a file, of standard input for `-`, or of anything else that has a path and ends, such as a named pipe.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what cannot be read, is no text in UTF-8, or has more
 * than `maxBytes`.
 */
export async function readText(
  path: string,
  maxBytes: number,
  { input }: Pick<Call, "input">,
): Promise<string> {
  const name = path === "-" ? "Standard input" : JSON.stringify(path.slice(0, 200));
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const stream: AsyncIterable<Uint8Array> = path === "-" ? input : createReadStream(path);
    for await (const part of stream) {
      length += part.length;
      if (length > maxBytes) break;
      parts.push(Buffer.from(part));
    }
  } catch (error) {
    throw wrongUsage(`${name} cannot be read: ${faultOf(error)}.`);
  }
  if (length > maxBytes) throw wrongUsage(`${name} has more than ${bytes(maxBytes)}.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw wrongUsage(`${name} is no text in UTF-8.`);
  }
}
