import { shellQuote } from "../../describe/forms/shell-command.js";
import type { CommandOption } from "../command.js";
import { type KnownCommand, LIST_IDS } from "./known-command.js";

/** The completion script of zsh, to be sourced or to be a file `_langchain-offload` of `fpath`. */
export function zshScript(commands: readonly KnownCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${shellQuote(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options, operand }) => {
    const words = options.map(([option, how]) => shellQuote(optionSpec(option, how)));
    const first =
      operand === "ids" ? "1:id:_langchain_offload_ids" : `1:word:(${operand.join(" ")})`;
    const operands = operand.length === 0 ? [] : [shellQuote(first)];
    return `    ${name}) _arguments ${[...words, ...operands].join(" ")} ;;`;
  });
  return `#compdef langchain-offload
# zsh completion of langchain-offload: source <(langchain-offload completion zsh)
_langchain_offload_ids() {
  local -a ids
  ids=(\${(f)"$(${LIST_IDS})"})
  compadd -a ids
}
_langchain_offload() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT -= 1 ))
  case "$command" in
${cases.join("\n")}
  esac
}
if [ "\${funcstack[1]}" = "_langchain-offload" ]; then
  _langchain_offload "$@"
else
  compdef _langchain_offload langchain-offload
fi
`;
}

function optionSpec(name: string, { type, completes, multiple = false }: CommandOption): string {
  const again = multiple ? "*" : "";
  if (type === "boolean") return `${again}--${name}`;
  const action = { directory: "_files -/", file: "_files" };
  return `${again}--${name}=:${name}:${completes === undefined ? "" : action[completes]}`;
}
