import type { Recipe, StoredArtifact } from "../types.js";

/** One word for a POSIX shell, whatever the text holds. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", () => String.raw`'\''`)}'`;
}

/**
 * Turns rows without quotes into objects of strings. A table with quoted cells needs a CSV parser,
 * which a shell does not have for certain.
 */
function rowsToObjects(kind: StoredArtifact["kind"]): string {
  const split = `rtrimstr("\\r")/${kind === "tsv" ? '"\\t"' : '","'}`;
  return `(input|${split}) as $h|inputs|${split}|[$h,.]|transpose|map({(.[0]):.[1]})|add`;
}

/**
 * A recipe as a shell command that works on the stored file from any directory. Records skip the header
 * line with `tail -n +2`; rows are turned into objects first.
 */
export function shellCommand(
  recipe: Recipe,
  artifact: Pick<StoredArtifact, "kind" | "layout" | "headerBytes">,
  path: string,
): string {
  const flags = `${recipe.slurp ? "s" : ""}${recipe.raw ? "r" : ""}`;
  const jq = `jq ${flags === "" ? "" : `-${flags} `}${shellQuote(recipe.shellFilter ?? recipe.filter)}`;
  const file = shellQuote(path);
  if (artifact.layout === "rows") {
    return `jq -Rnc ${shellQuote(rowsToObjects(artifact.kind))} ${file} | ${jq}`;
  }
  return artifact.headerBytes > 0 ? `tail -n +2 ${file} | ${jq}` : `${jq} ${file}`;
}
