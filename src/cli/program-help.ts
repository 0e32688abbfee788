import type { CommandEntry } from "./command.js";

/** The help of the program: fits 80 columns, and 24 lines with up to fifteen commands. */
export function programHelp(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: langchain-offload COMMAND [options]

Looks into the tool outputs that agents of this user have stored in files.

${lines.join("\n")}

Each command takes --json and --help. ID: an id, its beginning, a file name, a
path, or \`latest\`. Directory: --directory, ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR,
or output_dir of --config FILE. Exit codes: 0 done, 1 not there, 2 a fault.
`;
}
