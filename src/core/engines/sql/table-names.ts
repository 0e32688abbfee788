export { nameInQuery } from "../../profile/sql/names.js";

export const OWN_NAME = "output";

export function tableOfSet(outputName: string, table: string): string {
  return outputName === OWN_NAME ? table : `${outputName}_${table}`;
}
