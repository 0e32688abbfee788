import { createRequire } from "node:module";

import { OffloadError } from "../core/types/errors.js";
import { messageOf } from "../util/error-message.js";
import { codeOf } from "../util/files.js";
import { type ExitCode, helpOf, parseCall, type Surroundings, wrongUsage } from "./call.js";
import { printable } from "../util/safe-text.js";
import { PROGRAM } from "./command-line.js";
import { COMMANDS } from "./commands.js";
import { table } from "./print.js";

/** Never throws: a fault is printed on standard error. Ends silently when the reader of standard output has ended. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const [name = "", ...rest] = args;
  const command = COMMANDS.find((one) => one.name === name);
  try {
    if (command === undefined) {
      await surroundings.out.write(programAnswer(name));
      return 0;
    }
    const call = parseCall(command, rest, surroundings);
    if (call !== undefined) return await command.run(call);
    await surroundings.out.write(helpOf(command));
    return 0;
  } catch (error) {
    // Such as `| head`.
    if (codeOf(error) === "EPIPE") return 0;
    const code = OffloadError.isInstance(error) ? error.code : undefined;
    const help = [PROGRAM, ...(command ? [command.name] : []), "--help"];
    const hint = code === "INVALID_ARGUMENTS" ? `See ${help.join(" ")}\n` : "";
    await surroundings.err.write(`${printable(messageOf(error))}\n${hint}`);
    return code === "ARTIFACT_NOT_FOUND" || code === "ARTIFACT_EXPIRED" ? 1 : 2;
  }
}

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what is neither a command nor help. */
function programAnswer(name: string): string {
  if (name === "--version") {
    // By name, because the build moves this module.
    const own: { readonly version: string } = createRequire(import.meta.url)(
      "langchain-offload/package.json",
    );
    return `${own.version}\n`;
  }
  const names = COMMANDS.map((command) => command.name).join(", ");
  if (name === "") throw wrongUsage("A command is missing.");
  if (!["-h", "--help"].includes(name))
    throw wrongUsage(`There is no command ${JSON.stringify(name)}. The commands: ${names}.`);
  return `Usage: langchain-offload COMMAND [options]

Looks into the tool outputs that agents of this user have stored in files.

${table(COMMANDS.map((command) => [`  ${command.name}`, command.summary])).join("")}
COMMAND --help says what it takes. ID: an id, a file name, a path, or \`latest\`.
Directory: --directory, or ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR.
Exit codes: 0 done, 1 not there, 2 a fault.
`;
}
