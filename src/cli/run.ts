import { createRequire } from "node:module";

import { OffloadError } from "../core/types/errors.js";
import { codeOf } from "../util/files.js";
import {
  type ExitCode,
  faultOf,
  helpOf,
  parseCall,
  type Surroundings,
  wrongUsage,
} from "./call.js";
import { programName } from "./command-line.js";
import { COMMANDS } from "./commands.js";
import { printable, table } from "./print.js";

const HELP_WORDS: readonly string[] = ["-h", "--help", "help"];

/**
 * Runs the command line `args`, the program's name not among them. Never throws: a fault is a sentence
 * on standard error. When the reader of standard output has ended, so does the command, without a word.
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  // `help jq` is `jq --help`.
  const isHelp = HELP_WORDS.includes(args[0] ?? "");
  const [name = "", ...rest] = isHelp && args.length > 1 ? [...args.slice(1), "--help"] : args;
  const command = COMMANDS.find((one) => one.name === name);
  try {
    const answer = programAnswer(name);
    if (answer === undefined && command === undefined) throw noCommand(name);
    const call = command && parseCall(command, rest, surroundings);
    if (command && call) return await command.run(call);
    await surroundings.out.write(answer ?? (command ? helpOf(command) : ""));
    return 0;
  } catch (error) {
    return await report(error, command?.name, surroundings);
  }
}

function programAnswer(name: string): string | undefined {
  if (["-V", "--version"].includes(name)) {
    // By its name: where this module is in the build says nothing of where the package begins.
    const own: { readonly version: string } = createRequire(import.meta.url)(
      "langchain-offload/package.json",
    );
    return `${own.version}\n`;
  }
  if (!HELP_WORDS.includes(name)) return undefined;
  return `Usage: langchain-offload COMMAND [options]

Looks into the tool outputs that agents of this user have stored in files.

${table(COMMANDS.map((command) => [`  ${command.name}`, command.summary])).join("")}
Each command takes --json and --help. ID: an id, its beginning, a file name, a
path, or \`latest\`. Directory: --directory, ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR,
or output_dir of --config FILE. Exit codes: 0 done, 1 not there, 2 a fault.
`;
}

function noCommand(name: string): OffloadError {
  if (name === "") return wrongUsage("A command is missing.");
  const shown = JSON.stringify(name);
  if (name.startsWith("-")) return wrongUsage(`The command comes first, not ${shown}.`);
  const names = COMMANDS.map((command) => command.name).join(", ");
  return wrongUsage(`There is no command ${shown}. The commands: ${names}.`);
}

async function report(
  error: unknown,
  command: string | undefined,
  { env, err }: Surroundings,
): Promise<ExitCode> {
  // `| head` has seen enough.
  if (codeOf(error) === "EPIPE") return 0;
  const code = OffloadError.isInstance(error) ? error.code : undefined;
  const words = [programName({ env }), ...(command === undefined ? [] : [command]), "--help"];
  const hint = code === "INVALID_ARGUMENTS" ? `See ${words.join(" ")}\n` : "";
  await err.write(`${printable(faultOf(error))}\n${hint}`);
  return code === "ARTIFACT_NOT_FOUND" || code === "ARTIFACT_EXPIRED" ? 1 : 2;
}
