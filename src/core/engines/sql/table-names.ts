import { needsQuotes, quotedName } from "../../profile/sql/names.js";

/** The name of an output that the call has by its id. */
export const OWN_NAME = "output";

/** The table of one of several sets: by its own name, or, of an output in `with`, after that name. */
export function tableOfSet(outputName: string, table: string): string {
  return outputName === OWN_NAME ? table : `${outputName}_${table}`;
}

/** A column as a query has it: in double quotes where it needs them. */
export function columnInQuery(name: string): string {
  return needsQuotes(name) ? quotedName(name) : name;
}
