import { bashScript } from "../completion/bash.js";
import { fishScript } from "../completion/fish.js";
import type { KnownCommand } from "../completion/known-command.js";
import { zshScript } from "../completion/zsh.js";
import type { Command, CommandEntry } from "../command.js";
import { jsonLine } from "../print/json-line.js";
import { HELP } from "../parse-command.js";
import { wrongUsage } from "../wrong-usage.js";

const SCRIPTS: Readonly<Record<string, (commands: readonly KnownCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const HELP_TEXT = `Usage: langchain-offload completion bash|zsh|fish

Prints a script by which the shell completes commands, options and ids.

  bash  source <(langchain-offload completion bash)     in ~/.bashrc
  zsh   source <(langchain-offload completion zsh)      in ~/.zshrc
  fish  langchain-offload completion fish | source      in config.fish

Options:
  --json           print the script in one JSON object
  -h, --help       print this help

Exit codes: 0 done; 2 wrong usage.
`;

/** `completion`: the script by which a shell completes these commands, their options, and ids. */
export function completionOf(commands: readonly CommandEntry[]): Command {
  return {
    help: HELP_TEXT,
    options: { json: { type: "boolean" } },
    operands: ["bash|zsh|fish"],
    async run(given, { out }) {
      const [shell = ""] = given.operands;
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined) {
        const names = Object.keys(SCRIPTS).join(", ");
        throw wrongUsage(`There is no script for ${JSON.stringify(shell)}; there are ${names}.`);
      }
      const text = script(await Promise.all(commands.map(knownCommand)));
      await out.write(given.flag("json") ? jsonLine({ shell, script: text }) : text);
      return 0;
    },
  };
}

async function knownCommand({ name, summary, load }: CommandEntry): Promise<KnownCommand> {
  const { options, operands } = await load();
  const [first = ""] = operands;
  return {
    name,
    summary,
    options: Object.entries({ ...options, help: HELP }),
    operand: first === "ID" ? "ids" : first.includes("|") ? first.split("|") : [],
  };
}
