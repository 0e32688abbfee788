import type { z } from "zod";

import type { CallPrinter, StatedArguments } from "../core/drill-in/calls.js";
import { CORE_TOOLS, locatorOf, understoodSchema } from "../core/drill-in/tools.js";
import { extractTool } from "../presets/lro/extract.js";
import { JsonText, jsonTextOf } from "../util/json-text.js";
import { shellQuote } from "../util/safe-text.js";
import { type Call, type Surroundings, wrongUsage } from "./call.js";

/** Options by which a next command finds the same directory. */
export type DirectoryArgs = Readonly<Record<string, string>>;

/** The tools that are commands. */
const TOOLS = new Map([...CORE_TOOLS, extractTool].map((tool) => [tool.key, tool]));

/** Options that hold pairs, by the argument that holds an object. */
const PAIR_OPTIONS: Readonly<Record<string, string>> = {
  args: "argjson",
  params: "param",
  with: "with",
};

/** How each package manager runs a program of the project that it is in. */
const RUNNERS: Readonly<Record<string, string>> = {
  npm: "npx ",
  pnpm: "pnpm exec ",
  yarn: "yarn ",
  bun: "bunx ",
};

/** How this program is called again: by its name, behind the package manager that has started it. */
export function programName({ env }: Pick<Surroundings, "env">): string {
  const [manager = ""] = (env["npm_config_user_agent"] ?? "").split("/");
  return `${RUNNERS[manager] ?? ""}langchain-offload`;
}

/** The argument that says which output a command is on. */
function locator(key: string): "file_path" | "id" {
  const tool = TOOLS.get(key);
  return tool === undefined ? "id" : locatorOf(tool);
}

/** The arguments that a tool understands. */
function shapeOf(key: string): Readonly<Record<string, z.ZodType>> {
  const tool = TOOLS.get(key);
  return tool === undefined ? {} : understoodSchema(tool).shape;
}

/** Those that must be there are operands of the command, in order; all others are options. */
function operandsOf(key: string): readonly string[] {
  const shape = Object.entries(shapeOf(key));
  return shape.filter(([, type]) => !type.safeParse(undefined).success).map(([name]) => name);
}

/** The arguments of the tool that a call of the same name means, as the command line says them. */
export function argumentsOf(call: Call): StatedArguments {
  const places = operandsOf(call.command);
  const options: StatedArguments = { ...call.flags, ...call.texts, ...call.numbers };
  const argument = (name: string): unknown => {
    const place = places.indexOf(name);
    if (place !== -1) return call.operands[place];
    if (name === "args") {
      const json = pairsOf(call, "argjson", (text) => new JsonText(text));
      return { ...pairsOf(call, "arg", String), ...json };
    }
    if (name === "params" || name === "with")
      return pairsOf(call, PAIR_OPTIONS[name] ?? "", String);
    if (name === "compact") return !call.flags["pretty"];
    return options[optionOf(name)];
  };
  const names = Object.keys(shapeOf(call.command));
  return Object.fromEntries(names.map((name) => [name, argument(name)]));
}

/**
 * The values of an option `NAME=VALUE` that may be given several times.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when one has no `=`, or `read` throws.
 */
export function pairsOf<Value>(
  call: Call,
  option: string,
  read: (value: string) => Value,
): Record<string, Value> {
  const pairs = (call.lists[option] ?? []).map((pair) => {
    const at = pair.indexOf("=");
    const shown = JSON.stringify(pair);
    if (at < 1) throw wrongUsage(`--${option} is ${shown}; write NAME=VALUE.`);
    try {
      return [pair.slice(0, at), read(pair.slice(at + 1))] as const;
    } catch {
      throw wrongUsage(`--${option} is ${shown}; the value is no JSON.`);
    }
  });
  return Object.fromEntries(pairs);
}

/** Calls as command lines, each with what finds the directory again. */
export function commandCalls(more: DirectoryArgs, program?: string): CallPrinter {
  return {
    has: (key, name) => Object.hasOwn(shapeOf(key), name),
    call: (tool, { id }, args) =>
      commandLine(tool, { ...args, [locator(tool)]: id }, more, program),
    switchOn: (_, name) => `add --${name}`,
    entry: (_, name, key) => `--${PAIR_OPTIONS[name]} ${key}=…`,
    nameOf: (_, name) => name,
    locator,
  };
}

/** A drill-in call as a line for a POSIX shell that gives the same answer. */
export function commandLine(
  tool: string,
  args: StatedArguments,
  more: DirectoryArgs = {},
  program?: string,
): string {
  const places = operandsOf(tool);
  const operands = places.map((name) => textOf(args[name]));
  const options = Object.entries({ ...args, ...more }).flatMap(([name, value]) =>
    places.includes(name) ? [] : optionWords(name, value),
  );
  const words = operands.some((operand) => operand.startsWith("-"))
    ? [...options, "--", ...operands]
    : [...operands, ...options];
  return shellLine([tool, ...words], {}, program);
}

/** A command as a line for a POSIX shell. */
export function shellLine(
  words: readonly string[],
  more: DirectoryArgs = {},
  program: string = "langchain-offload",
): string {
  const options = Object.entries(more).flatMap(([name, value]) => optionWords(name, value));
  const quoted = [...words, ...options].map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : shellQuote(word),
  );
  return [program, ...quoted].join(" ");
}

function optionOf(name: string): string {
  return name.replaceAll("_", "-");
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
  return value === true ? [`--${optionOf(name)}`] : optionWith(optionOf(name), textOf(value));
}

/** An option and its value: one word when the value looks like an option itself. */
function optionWith(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
