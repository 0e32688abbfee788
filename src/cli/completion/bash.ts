import { type KnownCommand, LIST_IDS } from "./known-command.js";

/** The completion script of bash 3.2 and later. */
export function bashScript(commands: readonly KnownCommand[]): string {
  const names = commands.map(({ name }) => name);
  const all = commands.flatMap(({ options }) => options);
  const directories = namesOf(all.filter(([, { completes }]) => completes === "directory"));
  const files = namesOf(all.filter(([, { completes }]) => completes === "file"));
  const values = namesOf(all.filter(([, { type, completes }]) => type === "string" && !completes));
  const cases = commands.map(({ name, options, operand }) => {
    const words = operand === "ids" ? `$(${LIST_IDS})` : operand.join(" ");
    return `    ${name}) options="${namesOf([...options]).join(" ")}"; [ "$COMP_CWORD" -eq 2 ] && words="${words}" ;;`;
  });
  return `# bash completion of langchain-offload: source <(langchain-offload completion bash)
_langchain_offload() {
  local IFS=$' \\t\\n' options="" words=""
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...names, "--help", "--version"].join(" ")}" -- "$current"))
    return
  fi
  case "$previous" in
    ${directories.join("|")}) compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$current")); return ;;
    ${files.join("|")}) compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${values.join("|")}) return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -F _langchain_offload langchain-offload
`;
}

function namesOf(options: KnownCommand["options"]): string[] {
  return [...new Set(options.map(([name]) => `--${name}`))];
}
