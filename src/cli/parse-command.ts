import { parseArgs } from "node:util";

import { nearestNames } from "../util/nearest-names.js";
import type { Command, CommandOption, Given } from "./command.js";
import { wrongUsage } from "./wrong-usage.js";

/** What every command takes beside its own options. */
const HELP: CommandOption = { type: "boolean", short: "h" };

type Values = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

/**
 * Parses what follows a command's name; `undefined` when help is asked for.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for an unknown option, a missing value, and
 * operands that are too few or too many.
 */
export function parseCommand(
  { options, operands, takesMore = false }: Command,
  args: readonly string[],
): Given | undefined {
  const known = { ...options, help: HELP };
  const { values, positionals, tokens } = parseArgs({
    args: joinNegative(args, known),
    // Values are checked below, in our own words.
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: known,
  });
  // What follows `--` belongs to somebody else; `-h` may be one of it.
  if (values["help"] === true) return undefined;
  for (const token of tokens) if (token.kind === "option") checkOption(token, known);
  const missing = operands[positionals.length];
  if (missing !== undefined) throw wrongUsage(`${missing} is missing.`);
  const empty = operands.find((_, index) => positionals[index] === "");
  if (empty !== undefined) throw wrongUsage(`${empty} is empty.`);
  const extra = positionals[operands.length];
  if (extra !== undefined && !takesMore) {
    const taken = operands.length === 0 ? "nothing but options" : operands.join(" ");
    throw wrongUsage(`${JSON.stringify(extra)} is one too many: the command takes ${taken}.`);
  }
  const hasEnd = tokens.some(({ kind }) => kind === "option-terminator");
  return given(values, positionals, hasEnd);
}

/** `--start-line -5` means a number, for which `parseArgs` wants `--start-line=-5`. */
function joinNegative(args: readonly string[], known: Command["options"]): string[] {
  const joined: string[] = [];
  let isOver = false;
  for (const arg of args) {
    const before = joined.at(-1) ?? "";
    const takesValue = before.startsWith("--") && known[before.slice(2)]?.type === "string";
    if (!isOver && takesValue && /^-\d+$/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
    isOver ||= arg === "--";
  }
  return joined;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  known: Command["options"],
): void {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    throw wrongUsage(`There is no option ${rawName}.${meant(name, Object.keys(known), "--")}`);
  }
  if (option.type === "boolean" && value !== undefined) {
    throw wrongUsage(`${rawName} takes no value.`);
  }
  if (option.type === "string" && value === undefined)
    throw wrongUsage(`${rawName} needs a value.`);
  if (inlineValue === false && /^-./.test(value ?? "")) {
    throw wrongUsage(`${rawName} needs a value; write --${name}=${value} if this is it.`);
  }
  if (value === "") throw wrongUsage(`${rawName} is empty.`);
}

/** ` Did you mean …?`, or nothing. */
export function meant(name: string, names: readonly string[], prefix = ""): string {
  const [nearest] = nearestNames(name, names);
  return nearest === undefined ? "" : ` Did you mean ${prefix}${nearest}?`;
}

function given(values: Values, operands: readonly string[], hasEnd: boolean): Given {
  const text = (option: string): string | undefined => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  return {
    operands,
    hasEnd,
    text,
    flag: (option) => values[option] === true,
    list: (option) => {
      const value = values[option];
      return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    },
    number: (option, min = Number.MIN_SAFE_INTEGER) => {
      const value = text(option);
      if (value === undefined) return undefined;
      const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isSafeInteger(number) && number >= min) return number;
      const least = min === Number.MIN_SAFE_INTEGER ? "" : ` of at least ${min}`;
      throw wrongUsage(`--${option} is ${JSON.stringify(value)}; it is a whole number${least}.`);
    },
  };
}
