import type { CallPrinter, StatedArguments } from "../core/drill-in/shared/call-printer.js";
import { jsonTextOf } from "../util/json-text.js";
import { shellQuote } from "../util/safe-text.js";
import { CORE_TOOLS, locatorOf, understoodSchema } from "../core/drill-in/shared/tool-schemas.js";
import { extractTool } from "../presets/lro/extract.js";

/** The tools that are commands. */
const TOOLS = new Map([...CORE_TOOLS, extractTool].map((tool) => [tool.key, tool]));

/** The argument that says which output a command is on. */
function locator(key: string): "file_path" | "id" {
  const tool = TOOLS.get(key);
  return tool === undefined ? "id" : locatorOf(tool);
}

/** The arguments that are operands of the command, in order; all others are options. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  read: ["id"],
  grep: ["id", "pattern"],
  jq: ["id", "filter"],
  sql: ["id", "query"],
  extract: ["file_path"],
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
 * @param program - What a line begins with.
 */
export function commandCalls(
  more: Readonly<Record<string, string>>,
  program?: string,
): CallPrinter {
  return {
    has: (key, name) => {
      const tool = TOOLS.get(key);
      return tool !== undefined && Object.hasOwn(understoodSchema(tool).shape, name);
    },
    call: (tool, { id }, args) =>
      commandLine(tool, { ...args, [locator(tool)]: id }, more, program),
    argument: (_, name, value) => optionWords(name, value).join(" "),
    switchOn: (_, name) => `add --${name}`,
    entry: (_, name, key) => `--${PAIR_OPTIONS[name]} ${key}=${name === "with" ? "<id>" : "…"}`,
    nameOf: (_, name) => name,
    locator,
  };
}

/**
 * A drill-in call as a line for a POSIX shell that gives the same answer.
 *
 * @param more - Further options with their values.
 * @param program - What the line begins with.
 */
export function commandLine(
  tool: string,
  args: StatedArguments,
  more: Readonly<Record<string, string>> = {},
  program = "langchain-offload",
): string {
  const places = OPERANDS[tool] ?? [];
  const operands = places.map((name) => textOf(args[name]));
  const options = Object.entries(args).flatMap(([name, value]) =>
    places.includes(name) ? [] : optionWords(name, value),
  );
  options.push(...moreWords(more));
  const words = operands.some((operand) => operand.startsWith("-"))
    ? [...options, "--", ...operands]
    : [...operands, ...options];
  return [program, tool, ...words.map(quoted)].join(" ");
}

/** Another command on the same directory, as a line for a POSIX shell. */
export function plainCommandLine(
  program: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): string {
  return [program, ...[...words, ...moreWords(more)].map(quoted)].join(" ");
}

function moreWords(more: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(more).flatMap(([name, value]) => optionWith(name, value));
}

function optionWords(name: string, value: unknown): readonly string[] {
  const pairOption = PAIR_OPTIONS[name];
  if (pairOption !== undefined && typeof value === "object" && value !== null) {
    const printed = pairOption === "argjson" ? jsonTextOf : textOf;
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
