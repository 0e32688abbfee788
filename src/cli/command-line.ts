import type { CallPrinter, StatedArguments } from "../core/drill-in/shared/call-printer.js";
import { CORE_TOOLS, understoodSchema } from "../core/drill-in/shared/tool-schemas.js";
import { extractTool } from "../presets/lro/extract.js";
import { JsonText, jsonTextOf } from "../util/json-text.js";
import { shellQuote } from "../util/safe-text.js";
import { type Call, type Surroundings, wrongUsage } from "./call.js";

/** Options by which a next command finds the same directory. */
export type DirectoryArgs = Readonly<Record<string, string>>;

/** What the tools that are commands understand. */
const SHAPES = new Map(
  [...CORE_TOOLS, extractTool].map((tool) => [tool.key, understoodSchema(tool).shape]),
);
/** Arguments that are operands of a command, in order, as far as its tool has them; all others are options. */
const OPERANDS = ["id", "pattern", "filter"];
/** Options that hold pairs, by the argument that holds an object. */
const PAIR_OPTIONS: Readonly<Record<string, string>> = {
  args: "argjson",
  params: "param",
  with: "with",
};

/** How this program is called again: as a package manager has started it, by its name otherwise. */
export function programName({ env }: Pick<Surroundings, "env">): string {
  return env["npm_config_user_agent"] ? "npx langchain-offload" : "langchain-offload";
}

/** That of `extract` is a query as an option. */
function operandsOf(tool: string): readonly string[] {
  return tool === "sql" ? ["id", "query"] : OPERANDS.slice(0, tool === "jq" ? undefined : 2);
}

/** The arguments of the tool that a call of the same name means; it passes over those that it has not. */
export function argumentsOf(call: Call): StatedArguments {
  const options = Object.entries({ ...call.flags, ...call.texts, ...call.numbers });
  const operands = operandsOf(call.command).map((name, at) => [name, call.operands[at]] as const);
  return {
    ...Object.fromEntries(options.map(([name, value]) => [name.replaceAll("-", "_"), value])),
    ...Object.fromEntries(operands),
    args: {
      ...pairsOf(call, "arg", String),
      ...pairsOf(call, "argjson", (text) => new JsonText(text)),
    },
    params: pairsOf(call, "param", String),
    with: pairsOf(call, "with", String),
    compact: !call.flags["pretty"],
  };
}
