import {
  type CallPrinter,
  locatorName,
  type StatedArguments,
} from "../drill-in/shared/call-printer.js";
import { shellQuote } from "../util/safe-text.js";
import { type OutputDrillIn, understoodSchema } from "../drill-in/shared/tool-schemas.js";

/** The arguments that are operands of the command, in order; all others are options. */
const OPERANDS: Readonly<Record<OutputDrillIn, readonly string[]>> = {
  read: ["id"],
  grep: ["id", "pattern"],
  jq: ["id", "filter"],
  sql: ["id", "query"],
  extract: ["file_path"],
  view: ["id"],
};

/** Options that hold pairs, by the argument that holds an object. */
const PAIR_OPTIONS: Readonly<Record<string, string>> = {
  args: "argjson",
  params: "param",
  with: "with",
};

/**
 * Calls as command lines.
 *
 * @param more - Further options with their values, for each line.
 */
export function commandCalls(more: Readonly<Record<string, string>>): CallPrinter {
  return {
    has: (tool, name) => Object.hasOwn(understoodSchema(tool).shape, name),
    call: (tool, { id }, args) => commandLine(tool, { ...args, [locatorName(tool)]: id }, more),
    argument: (_, name, value) => optionWords(name, value).join(" "),
    switchOn: (_, name) => `add --${name}`,
    entry: (_, name, key) => `--${PAIR_OPTIONS[name]} ${key}=${name === "with" ? "<id>" : "…"}`,
    nameOf: (_, name) => name,
  };
}

/**
 * A drill-in call as a line for a POSIX shell that gives the same answer.
 *
 * @param more - Further options with their values.
 */
export function commandLine(
  tool: OutputDrillIn,
  args: StatedArguments,
  more: Readonly<Record<string, string>> = {},
): string {
  const operands = OPERANDS[tool].map((name) => textOf(args[name]));
  const options = Object.entries(args).flatMap(([name, value]) =>
    OPERANDS[tool].includes(name) ? [] : optionWords(name, value),
  );
  options.push(...Object.entries(more).flatMap(([name, value]) => optionWith(name, value)));
  const words = operands.some((operand) => operand.startsWith("-"))
    ? [...options, "--", ...operands]
    : [...operands, ...options];
  return ["langchain-offload", tool, ...words.map(quoted)].join(" ");
}

function optionWords(name: string, value: unknown): readonly string[] {
  const pairOption = PAIR_OPTIONS[name];
  if (pairOption !== undefined && typeof value === "object" && value !== null) {
    const printed = pairOption === "argjson" ? JSON.stringify : textOf;
    return Object.entries(value).flatMap(([key, one]) =>
      optionWith(pairOption, `${key}=${printed(one)}`),
    );
  }
  if (name === "compact") return value === false ? ["--pretty"] : [];
  if (value === undefined || value === false) return [];
  const option = name.replaceAll("_", "-");
  return value === true ? [`--${option}`] : optionWith(option, textOf(value));
}

/** An option and its value: one word when the value looks like an option itself. */
function optionWith(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : shellQuote(word);
}
