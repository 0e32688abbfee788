import type { DrillInLimits } from "../engines/limits.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { ToolShape } from "./tools.js";

/** What the model may do with stored outputs. */
export interface DrillInOptions extends Partial<Pick<DrillInLimits, "timeoutMs">> {
  /**
   * Longest answer in tokens. A call may ask for four times as much.
   *
   * @remarks Set it when answers should be shorter, or the model reads long texts.
   * @defaultValue `2000`
   */
  readonly maxAnswerTokens?: number;
  /**
   * Names of the tools. `false` removes a tool, and no text mentions it then.
   *
   * @remarks Set it when another tool has one of these names, or the agent shall not have one of them.
   * @defaultValue `read_tool_output`, `grep_tool_output`, `jq_tool_output`, `sql_tool_output`, and the names that
   * plugins give theirs
   */
  readonly names?: Readonly<Record<string, string | false | undefined>>;
  /**
   * The SQL tool, which needs the package `@duckdb/node-api`. With `"auto"` an agent has it if the package is
   * installed and a process can be started. With `{ maxMemoryMb }` an agent always has it, and DuckDB gets that
   * memory (512 by default, at least 64). With `false` it never has it. The first query starts the process.
   *
   * @remarks Set it when DuckDB is installed and needs other limits, or the agent shall not have it.
   * @defaultValue `"auto"`
   */
  readonly sql?: "auto" | false | SqlOptions;
  /**
   * Tools with other names and arguments. Each replaces the usual tool that it calls. `names: { jq: false }` removes
   * such a tool too; another name for one of them is refused.
   *
   * @remarks Set it when the model knows tools of another design.
   */
  readonly tools?: readonly ToolShape[];
}
