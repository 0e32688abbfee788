import type { CallPrinter } from "../core/drill-in/calls.js";
import { CORE_TOOLS, type StatedArguments } from "../core/drill-in/tools.js";
import { JsonText, jsonTextOf } from "../util/json-text.js";
import { shellQuote } from "../util/safe-text.js";
import { type Call, wrongUsage } from "./call.js";

export type DirectoryArgs = Readonly<Record<string, string | undefined>>;

const SHAPES = new Map<string, object>(
  CORE_TOOLS.map(({ key, schema, understood = schema }) => [key, understood.shape]),
);
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  grep: ["id", "pattern"],
  jq: ["id", "filter"],
  sql: ["id", "query"],
};
const PAIR_OPTIONS: Readonly<Record<string, string>> = { args: "argjson", with: "with" };

/** Runs wherever the package is installed. */
export const PROGRAM = "npx langchain-offload";

export function argumentsOf(call: Call): StatedArguments {
  const given: [string, unknown][] = Object.entries({
    ...call.flags,
    ...call.texts,
    ...call.numbers,
  }).map(([name, value]) => [name.replaceAll("-", "_"), value]);
  for (const [at, name] of (OPERANDS[call.command] ?? ["id"]).entries())
    given.push([name, call.operands[at]]);
  return {
    ...Object.fromEntries(given),
    args: {
      ...pairsOf(call, "arg", String),
      ...pairsOf(call, "argjson", (text) => new JsonText(text)),
    },
    compact: !call.flags["pretty"],
  };
}

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when one has no `=`, or `read` throws. */
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
      throw wrongUsage(`--${option} is ${shown}; the value is not JSON.`);
    }
  });
  return Object.fromEntries(pairs);
}

export function commandCalls(more: DirectoryArgs): CallPrinter {
  return {
    has: (key, name) => Object.hasOwn(SHAPES.get(key) ?? {}, name),
    call: (tool, { id }, args) => commandLine(tool, { ...args, id }, more),
  };
}

export function commandLine(tool: string, args: StatedArguments, more: DirectoryArgs = {}): string {
  const places = OPERANDS[tool] ?? ["id"];
  const operands = places.map((name) => textOf(args[name]));
  const options = Object.entries({ ...args, ...more }).flatMap(([name, value]) =>
    places.includes(name) ? [] : optionWords(name, value),
  );
  const words = operands.some((operand) => operand.startsWith("-"))
    ? [...options, "--", ...operands]
    : [...operands, ...options];
  return shellLine([tool, ...words]);
}

export function shellLine(words: readonly string[], more: DirectoryArgs = {}): string {
  const options = Object.entries(more).flatMap(([name, value]) => optionWords(name, value));
  const quoted = [...words, ...options].map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : shellQuote(word),
  );
  return [PROGRAM, ...quoted].join(" ");
}

function optionWords(name: string, value: unknown): readonly string[] {
  const pairOption = PAIR_OPTIONS[name];
  if (pairOption !== undefined) {
    const printed = pairOption === "argjson" ? jsonTextOf : textOf;
    return Object.entries(value ?? {}).map(
      ([key, one]) => `--${pairOption}=${key}=${printed(one)}`,
    );
  }
  const option = name.replaceAll("_", "-");
  if (name === "compact") return value === false ? ["--pretty"] : [];
  if (value === undefined || value === false) return [];
  return [value === true ? `--${option}` : `--${option}=${textOf(value)}`];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
