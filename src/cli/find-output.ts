import { statSync, type Stats } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";

import { OffloadError } from "../core/types/errors.js";
import { artifactInDirectory } from "../core/store/file/directory.js";
import { artifactIdIn } from "../core/store/naming.js";
import type { StoredArtifact } from "../core/types/artifact.js";
import type { Given, Surroundings } from "./command.js";
import { directoryArgs as argsOf, directoryOf } from "./directory.js";
import { plainCommandLine } from "./command-line.js";
import { listOutputs } from "./list.js";
import { programName } from "./program-name.js";
import { date } from "./print/units.js";
import { wrongUsage } from "./wrong-usage.js";

/** What `ID` of a command means. */
export interface FoundOutput {
  /** Where the output lies. */
  readonly directory: string;
  readonly artifact: StoredArtifact;
  /** Options by which a next command finds the directory again; none when no option did. */
  readonly directoryArgs: Readonly<Record<string, string>>;
}

/** A shorter beginning says too little: the first characters of an id are its time. */
const MIN_PREFIX_CHARACTERS = 4;
const MAX_LISTED_IDS = 5;
const PREFIX = /^[0-7][0-9A-HJKMNP-TV-Z]*$/i;

/**
 * Finds the output that a person means: by id, unique beginning of one, file name, path, or `latest`. A
 * path brings its own directory. The scope comes from the output's record, so the caller acts as the
 * owner of the files, not as a session.
 *
 * @param reference - The first operand by default.
 * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND`, `ARTIFACT_EXPIRED`, `INVALID_ARGUMENTS` when
 * several are meant, or `STORE_READ_FAILED`.
 */
export async function findOutput(
  given: Given,
  surroundings: Surroundings,
  reference: string = given.operands[0] ?? "",
): Promise<FoundOutput> {
  const isPath = reference.includes("/") || reference.includes(sep);
  const directory = isPath ? dirname(resolve(reference)) : await directoryOf(given, surroundings);
  const name = isPath ? basename(reference) : reference;
  const id = artifactIdIn(name);
  const artifact =
    id === undefined
      ? await findByName(name, directory, surroundings)
      : await artifactInDirectory(directory, id);
  const directoryArgs = isPath ? { directory } : argsOf(given);
  if (artifact === undefined) throw notThere(reference, directory, directoryArgs, surroundings);
  if (artifact.expiresAt <= surroundings.now()) {
    throw new OffloadError(
      "ARTIFACT_EXPIRED",
      `${artifact.fileName} expired at ${date(artifact.expiresAt)}. Run the agent again for a new one.`,
    );
  }
  // That of a session's folder, where it lies in one.
  return { directory: dirname(artifact.filePath ?? directory), artifact, directoryArgs };
}

async function findByName(
  name: string,
  directory: string,
  surroundings: Surroundings,
): Promise<StoredArtifact | undefined> {
  const { artifacts } = await listOutputs(directory, surroundings);
  if (name === "latest") return artifacts.at(-1);
  if (name.length < MIN_PREFIX_CHARACTERS || !PREFIX.test(name)) return undefined;
  const meant = artifacts.filter(({ id }) => id.startsWith(name.toUpperCase()));
  if (meant.length <= 1) return meant[0];
  const ids = meant.slice(0, MAX_LISTED_IDS).map(({ id }) => id);
  const more = meant.length > ids.length ? ", …" : "";
  throw wrongUsage(
    `${name} begins ${meant.length} ids: ${ids.join(", ")}${more}. Write more of the one you mean.`,
  );
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not a path, or not to be looked at.
    return undefined;
  }
}

/** What is not there, and what to do instead, as it can be told from the name. */
function notThere(
  reference: string,
  directory: string,
  more: Readonly<Record<string, string>>,
  surroundings: Surroundings,
): OffloadError {
  const program = programName(surroundings);
  const shown = JSON.stringify(reference.slice(0, 200));
  const line = (words: readonly string[], options = more): string =>
    plainCommandLine(program, words, options);
  let next = `${line(["ls"])} lists what is there.`;
  const found = statOf(reference);
  if (found?.isDirectory() === true)
    next = `That is a directory; ${line(["ls"], { directory: reference })} lists what is in it.`;
  else if (found?.isFile() === true)
    next += ` Of any other file, ${line(["describe", reference], {})} shows what a model would see.`;
  else if (PREFIX.test(reference) && reference.length < MIN_PREFIX_CHARACTERS)
    next = `The beginning of an id has at least ${MIN_PREFIX_CHARACTERS} characters. ${next}`;
  return new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `There is no stored output ${shown} in ${directory}. ${next}`,
  );
}
