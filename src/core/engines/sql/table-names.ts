import { needsQuotes, quotedName } from "../../profile/sql/names.js";

/** The name of an output that the call has by its id. */
export const OWN_NAME = "output";

export function tableOfSet(outputName: string, table: string): string {
  return outputName === OWN_NAME ? table : `${outputName}_${table}`;
}

export function columnInQuery(name: string): string {
  return needsQuotes(name) ? quotedName(name) : name;
}
