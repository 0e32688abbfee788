import { listed, setPath, setsWithCounts } from "../../content/json/sets/set-names.js";
import type { StoredArtifact } from "../../types/artifact.js";

/** Where jq finds the records of each set; empty for an output that is no document with sets. */
export function setsForJq({ sets }: Pick<StoredArtifact, "sets">): string {
  return sets === undefined
    ? ""
    : `The filter sees one document; its records are at ${setsWithCounts(sets)}.`;
}

/** On which lines the records of each set are; empty where they are on no lines of their own. */
export function linesOfSets({ sets }: Pick<StoredArtifact, "sets">): string {
  if (sets?.every(({ lines }) => lines !== undefined) !== true) return "";
  return listed(sets, ({ path, count, lines }) => {
    const first = lines?.firstLine ?? 1;
    return `${setPath({ path })} on lines ${first} to ${first + count - 1}`;
  });
}
