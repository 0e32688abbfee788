import { OffloadError } from "../core/types/errors.js";
import { codeOf } from "../util/files.js";
import type { Command, ExitCode, Given, Surroundings } from "./command.js";
import { COMMANDS } from "./commands.js";
import { packageJson } from "./package-json.js";
import { meant, parseCommand } from "./parse-command.js";
import { printable } from "./print/printable.js";
import { programName } from "./program-name.js";
import { wrongUsage } from "./wrong-usage.js";

const HELP_WORDS: readonly string[] = ["-h", "--help", "help"];

/**
 * Runs the command line `args`, the program's name not among them. Never throws: a fault is a sentence
 * on standard error. When the reader of standard output has ended, so does the command, without a word.
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const [name = "", ...rest] = helpLast(args);
  try {
    const answer = programAnswer(name);
    if (answer !== undefined) {
      await surroundings.out.write(answer);
      return 0;
    }
    const command = await commandOf(name);
    const given = parseCommand(command, rest);
    return await runCommand(command, given, surroundings);
  } catch (error) {
    return await report(
      error,
      COMMANDS.some((entry) => entry.name === name) ? name : "",
      surroundings,
    );
  }
}

/** `help jq` is `jq --help`. */
function helpLast(args: readonly string[]): readonly string[] {
  const [word, name, ...more] = args;
  const isHelp = word !== undefined && HELP_WORDS.includes(word);
  return isHelp && name !== undefined && !HELP_WORDS.includes(name)
    ? [name, "--help", ...more]
    : args;
}

function programAnswer(name: string): string | undefined {
  if (HELP_WORDS.includes(name)) return programHelp();
  return ["-V", "--version"].includes(name) ? `${packageJson().version}\n` : undefined;
}

/** The help of the program: fits 80 columns, and 24 lines with up to fifteen commands. */
function programHelp(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: langchain-offload COMMAND [options]

Looks into the tool outputs that agents of this user have stored in files.

${lines.join("\n")}

Each command takes --json and --help. ID: an id, its beginning, a file name, a
path, or \`latest\`. Directory: --directory, ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR,
or output_dir of --config FILE. Exit codes: 0 done, 1 not there, 2 a fault.
`;
}

async function commandOf(name: string): Promise<Command> {
  const entry = COMMANDS.find((entry) => entry.name === name);
  if (entry !== undefined) return await entry.load();
  if (name === "") throw wrongUsage("A command is missing.");
  const shown = JSON.stringify(name);
  if (name.startsWith("-")) throw wrongUsage(`The command comes first, not ${shown}.`);
  const names = COMMANDS.map((entry) => entry.name);
  const hint = meant(name, names) || ` The commands: ${names.join(", ")}.`;
  throw wrongUsage(`There is no command ${shown}.${hint}`);
}

async function runCommand(
  command: Command,
  given: Given | undefined,
  surroundings: Surroundings,
): Promise<ExitCode> {
  if (given !== undefined) return await command.run(given, surroundings);
  await surroundings.out.write(command.help);
  return 0;
}

async function report(
  error: unknown,
  command: string,
  { env, err }: Surroundings,
): Promise<ExitCode> {
  // `| head` has seen enough.
  if (codeOf(error) === "EPIPE") return 0;
  const message = error instanceof Error ? error.message : String(error);
  const code = OffloadError.isInstance(error) ? error.code : undefined;
  const help = command === "" ? "" : `${command} `;
  const hint = code === "INVALID_ARGUMENTS" ? `See ${programName({ env })} ${help}--help\n` : "";
  await err.write(`${printable(message)}\n${hint}`);
  return code === "ARTIFACT_NOT_FOUND" || code === "ARTIFACT_EXPIRED" ? 1 : 2;
}
