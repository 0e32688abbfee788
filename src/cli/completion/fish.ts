import { shellQuote } from "../../describe/forms/shell-command.js";
import type { CommandOption } from "../command.js";
import { type KnownCommand, LIST_IDS } from "./known-command.js";

const COMPLETE = "complete -c langchain-offload";

/** The completion script of fish 3 and later. */
export function fishScript(commands: readonly KnownCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, operand }) => {
    const within = `${COMPLETE} -n ${shellQuote(`__fish_seen_subcommand_from ${name}`)}`;
    const words = operand === "ids" ? `(${LIST_IDS})` : operand.join(" ");
    return [
      `${COMPLETE} -n __fish_use_subcommand -a ${name} -d ${shellQuote(summary)}`,
      ...options.map(([option, how]) => `${within} -l ${option}${valueOf(how)}`),
      ...(words === "" ? [] : [`${within} -a ${shellQuote(words)}`]),
    ];
  });
  return `# fish completion of langchain-offload: langchain-offload completion fish | source
${COMPLETE} -f
${lines.join("\n")}
`;
}

function valueOf({ type, completes }: CommandOption): string {
  if (type === "boolean") return "";
  if (completes === "directory") return " -x -a '(__fish_complete_directories)'";
  return completes === "file" ? " -r -F" : " -x";
}
