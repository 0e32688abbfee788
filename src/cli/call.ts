import type { Readable } from "node:stream";
import { parseArgs, type ParseArgsConfig } from "node:util";

import { OffloadError } from "../core/types/errors.js";
import { messageOf } from "../util/error-message.js";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly input: Readable;
  readonly out: Output;
  readonly err: Output;
}

export interface Output {
  readonly isTerminal: boolean;
  /**
   * Resolves when the data are handed over.
   * @throws The stream's error, such as `EPIPE` when its reader has ended.
   */
  write(text: string): Promise<void>;
}

export type ExitCode = 0 | 1 | 2;

export interface Command {
  readonly name: string;
  /** At most 60 characters. */
  readonly summary: string;
  readonly operands: string;
  /** Lines of at most 80 columns. */
  readonly about: string;
  /**
   * As the help shows them and the parser reads them. Values are in capitals: `N` is a whole number
   * from 0, and one with `=` may be given several times.
   */
  readonly options: string;
  /**
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for wrong usage, `ARTIFACT_NOT_FOUND` or
   * `ARTIFACT_EXPIRED` for a missing output; other errors are printed as faults.
   */
  readonly run: (call: Call) => Promise<ExitCode>;
}

export interface Call extends Surroundings {
  readonly command: string;
  readonly operands: readonly string[];
  // The given options, by their long names.
  readonly flags: Readonly<Record<string, true>>;
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

export function wrongUsage(message: string): OffloadError {
  return new OffloadError("INVALID_ARGUMENTS", message);
}

const HELP_OPTION = "\n  -h, --help           print this help\n";
const OPTION = /(?:-(\w), )?--([\w-]+)(?: ([A-Z][A-Z=]*))?/g;

export function helpOf({ name, operands, about, options }: Command): string {
  return `Usage: langchain-offload ${`${name} [options] ${operands}`.trim()}

${about}

Options:
${options}${HELP_OPTION}
Exit codes: 0 done; 1 what was asked for is not there: no such output, or it has
expired, no line matches, no result; 2 wrong usage, or a fault.
`;
}

/**
 * `undefined` when help is asked for.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for an unknown option, a missing or
 * wrong value, and too few or too many operands.
 */
export function parseCall(
  { name: command, options: text, operands }: Pick<Command, "name" | "options" | "operands">,
  args: readonly string[],
  surroundings: Surroundings,
): Call | undefined {
  const found = [...`${text}${HELP_OPTION}`.matchAll(OPTION)];
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [, short, name = "", value] of found) {
    options[name] = {
      type: value === undefined ? "boolean" : "string",
      multiple: value?.includes("=") === true,
      ...(short !== undefined && { short }),
    };
  }
  const { values, positionals } = parsedWords(options, args);
  if (values["help"]) return undefined;
  checkOperands(operands, positionals);
  const flags: Record<string, true> = {};
  const texts: Record<string, string> = {};
  const numbers: Record<string, number> = {};
  const lists: Record<string, readonly string[]> = {};
  const numeric = new Set(found.flatMap(([, , name, kind]) => (kind === "N" ? [name] : [])));
  for (const [name, given] of Object.entries(values)) {
    if (given === "") throw wrongUsage(`--${name} is empty.`);
    if (Array.isArray(given)) lists[name] = given.map(String);
    else if (typeof given !== "string") flags[name] = true;
    else if (!numeric.has(name)) texts[name] = given;
    else if (!/^\d{1,15}$/.test(given))
      throw wrongUsage(`--${name} is ${JSON.stringify(given)}; it must be a whole number.`);
    else numbers[name] = Number(given);
  }
  return { ...surroundings, command, operands: positionals, flags, texts, numbers, lists };
}

function parsedWords(
  options: NonNullable<ParseArgsConfig["options"]>,
  args: readonly string[],
): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrongUsage(messageOf(error));
  }
}

function checkOperands(operands: string, given: readonly string[]): void {
  const names = operands.split(" ").filter((word) => /^[A-Z]+$/.test(word));
  const lacking = names.find((_, index) => !given[index]);
  if (lacking !== undefined) throw wrongUsage(`${lacking} is missing.`);
  const extra = given[names.length];
  if (extra === undefined || operands.endsWith("...")) return;
  throw wrongUsage(`${JSON.stringify(extra)} is one too many.`);
}

/** Once for each signal, until the returned function is called. */
export function atSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}
