import { setPath } from "../../describe/recipes/document-recipes.js";
import type { SetPlace, StoredArtifact } from "../../types.js";

/** A filter over a document that begins with one of its sets, as one over the records of this set. */
export interface NarrowedFilter {
  readonly filter: string;
  /** Whether it sees all records as one array. */
  readonly slurp: boolean;
  /** The lines that it reads. */
  readonly set: { readonly start: number; readonly end: number; readonly isMap: boolean };
}

/** After the set: its records one by one, or the array of them; then what is done with these. */
const REST = /^(?<each>\[\]\??)?\s*(?:$|\|(?!=))/;
/** What a filter can notice of the other records. */
const SEES_OTHERS = /\b(?:inputs?|input_line_number|error|halt|halt_error)\b/;

/**
 * Spares reading the whole document, which jq holds in memory: `.orders[] | f` runs `f` on each record, and
 * `.orders | f` on the array of them. `undefined` for every other filter, and where records are on no lines of their own.
 */
export function narrowToSet(
  { sets = [] }: Pick<StoredArtifact, "sets">,
  filter: string,
): NarrowedFilter | undefined {
  if (SEES_OTHERS.test(filter)) return undefined;
  for (const set of sets) {
    const narrowed = narrowedTo(set, filter);
    if (narrowed !== undefined) return narrowed;
  }
  return undefined;
}

function narrowedTo(set: SetPlace, filter: string): NarrowedFilter | undefined {
  const path = setPath(set);
  if (set.lines === undefined || !filter.startsWith(path)) return undefined;
  const rest = filter.slice(path.length);
  const match = REST.exec(rest);
  if (match === null) return undefined;
  const { start, end } = set.lines;
  return {
    filter: rest.slice(match[0].length).trim() || ".",
    slurp: match.groups?.["each"] === undefined,
    set: { start, end, isMap: set.isMap === true },
  };
}
