import type { Command } from "../command.js";
import { JsonText } from "../../util/json-text.js";
import { DRILL_IN_OPTIONS, drillInto, pairsOf, WITH_OPTION } from "../drill-into.js";

/** `jq`: what `jq_tool_output` answers. */
export const jq: Command = {
  help: `Usage: langchain-offload jq ID FILTER [options]

Runs a jq filter over a stored output: over each record by itself, or over the
whole document. jq 1.8.2 is built in; the filter reaches no file and no network.

Options:
  -s, --slurp          run once, on all records as one array
  -r, --raw            print strings without quotes
  --pretty             several lines a result
  --arg NAME=TEXT      set the variable $NAME to a text; may be repeated
  --argjson NAME=JSON  set the variable $NAME to a JSON value; may be repeated
  --with NAME=ID       set $NAME to the records of another output; repeatable
  --skip N             leave out the first N results
  --limit N            at most N results
  --max-tokens N       longest answer (2,000, as for a model)
  --timeout SECONDS    longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 there are results; 1 no result, or there is no such output;
2 wrong usage, an error of jq, or a fault.
`,
  options: {
    slurp: { type: "boolean", short: "s" },
    raw: { type: "boolean", short: "r" },
    pretty: { type: "boolean" },
    arg: { type: "string", multiple: true },
    argjson: { type: "string", multiple: true },
    skip: { type: "string" },
    limit: { type: "string" },
    ...WITH_OPTION,
    ...DRILL_IN_OPTIONS,
  },
  operands: ["ID", "FILTER"],
  run(given, surroundings) {
    const args = {
      filter: given.operands[1],
      slurp: given.flag("slurp"),
      raw: given.flag("raw"),
      compact: !given.flag("pretty"),
      args: {
        ...pairsOf(given, "arg"),
        ...pairsOf(given, "argjson", (text) => new JsonText(text)),
      },
      skip: given.number("skip", 0),
      limit: given.number("limit", 1),
    };
    return drillInto("jq", args, given, surroundings);
  },
};
