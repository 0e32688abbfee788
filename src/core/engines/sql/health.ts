import type { SqlHealth, SqlReply } from "./job.js";

/** The class that DuckDB's messages begin with, after the step that failed. */
const ERROR_CLASS = /^(?:Failed to [a-z ]{1,40}: )?([\w ]{1,40}) Error: /;

/** Classes of errors that say something of a query or its data. All others say something of the process. */
const OF_THE_QUERY: ReadonlySet<string> = new Set([
  "Binder",
  "Catalog",
  "Conversion",
  "Decimal",
  "Divide by Zero",
  "Expression",
  "Invalid Input",
  "Invalid Type",
  "Invalid",
  "Mismatch Type",
  "Not implemented",
  "Out of Range",
  "Parameter Not Allowed",
  "Parser",
  "Planner",
  "Syntax",
  "Unknown Type",
]);

/** After these DuckDB answers nothing any more, or nothing that can be trusted. */
const FINAL: ReadonlySet<string> = new Set(["FATAL", "INTERNAL"]);

/** A process that keeps more than this share of its memory has too little for the next query. */
const MAX_KEPT_SHARE = 1 / 2;

/**
 * How the process is after a query, by what it replied and what it keeps of memory.
 *
 * @param keptBytes - Resident, beyond what it had with its tables before the first query.
 */
export function healthOf(
  { error = "", outOfMemory }: Pick<SqlReply, "error" | "outOfMemory">,
  keptBytes: number,
  maxMemoryBytes: number,
): SqlHealth {
  // Refusals of ours have no class.
  const [, errorClass] = ERROR_CLASS.exec(error) ?? [];
  if (keptBytes > maxMemoryBytes * MAX_KEPT_SHARE) return "spent";
  if (errorClass !== undefined && FINAL.has(errorClass)) return "spent";
  const isOfProcess = errorClass !== undefined && !OF_THE_QUERY.has(errorClass);
  return outOfMemory || isOfProcess ? "failed" : "well";
}
