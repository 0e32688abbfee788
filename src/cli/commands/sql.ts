import { resolveSql } from "../../core/engines/sql/start.js";
import type { Command } from "../command.js";
import { DRILL_IN_OPTIONS, drillInto, WITH_OPTION } from "../drill-into.js";

/** `sql`: what `sql_tool_output` answers. */
export const sql: Command = {
  help: `Usage: langchain-offload sql ID QUERY [options]

Runs one SELECT over the records of a stored output, the table \`output\`. Needs
the package @duckdb/node-api. The query runs in a process of its own, which
reaches these outputs and nothing else; "DESCRIBE output" lists the columns.

Options:
  --with NAME=ID       another output, the table NAME; may be repeated
  --max-tokens N       longest answer (2,000, as for a model)
  --timeout SECONDS    longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 there are rows; 1 no row, or there is no such output; 2 wrong
usage, an error of the query, a missing package, or a fault.
`,
  options: { ...WITH_OPTION, ...DRILL_IN_OPTIONS },
  operands: ["ID", "QUERY"],
  run(given, surroundings) {
    return drillInto("sql", { query: given.operands[1] }, given, surroundings, resolveSql({}));
  },
};
