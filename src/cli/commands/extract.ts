import type { Command } from "../command.js";
import { DRILL_IN_OPTIONS, drillInto, pairsOf } from "../drill-into.js";

/** `extract`: what `lro_extract` answers. */
export const extract: Command = {
  help: `Usage: langchain-offload extract ID --recipe N [--param NAME=VALUE]...
       langchain-offload extract ID --query FILTER

Runs a recipe of the output's descriptor, or a jq filter, over its records.
\`langchain-offload show ID\` lists the recipes.

Options:
  --recipe N          number of the recipe, from 1
  --param NAME=VALUE  value for the recipe; may be repeated
  --query FILTER      a jq filter in place of a recipe
  --skip N            leave out the first N results
  --max-tokens N      longest answer (2,000, as for a model)
  --timeout SECONDS   longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 there are results; 1 no result, or there is no such output;
2 wrong usage, an error of jq, or a fault.
`,
  options: {
    recipe: { type: "string" },
    param: { type: "string", multiple: true },
    query: { type: "string" },
    skip: { type: "string" },
    ...DRILL_IN_OPTIONS,
  },
  operands: ["ID"],
  run(given, surroundings) {
    const args = {
      recipe: given.number("recipe", 1),
      query: given.text("query"),
      params: pairsOf(given, "param"),
      skip: given.number("skip", 0),
    };
    return drillInto("extract", args, given, surroundings);
  },
};
