import { setPath } from "../../describe/recipes/document-recipes.js";
import { jqPath } from "../../describe/recipes/jq-path.js";
import type { SetPlace, StoredArtifact } from "../../types.js";
import { shorten } from "../../util/safe-text.js";

/** Sets that a sentence names. */
const MAX_NAMED = 4;
const MAX_PATH_CHARACTERS = 64;

/** Where jq finds the records of each set; empty for an output that is no document with sets. */
export function setsForJq({ sets }: Pick<StoredArtifact, "sets">): string {
  if (sets === undefined) return "";
  const named = listed(
    sets,
    (set) => `${shorten(setPath(set), MAX_PATH_CHARACTERS)}[] (${set.count})`,
  );
  return `The filter sees one document; its records are at ${named}.`;
}

/** On which lines the records of each set are; empty where they are on no lines of their own. */
export function linesOfSets({ sets }: Pick<StoredArtifact, "sets">): string {
  if (sets?.every(({ lines }) => lines !== undefined) !== true) return "";
  return listed(sets, ({ lines, ...set }) => {
    const first = lines?.firstLine ?? 1;
    return `${shorten(jqPath(set.path), MAX_PATH_CHARACTERS)} on lines ${first} to ${first + set.count - 1}`;
  });
}

function listed(sets: readonly SetPlace[], text: (set: SetPlace) => string): string {
  const named = sets.slice(0, MAX_NAMED).map(text);
  const more = sets.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
