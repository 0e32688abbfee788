import { listed, setPath } from "../content/json/sets/set-names.js";
import { scanFilter } from "../engines/jq/filter.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { SetPlace } from "../types/content.js";

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

/**
 * Spares reading the whole document, which jq holds in memory: `.orders[] | f` runs `f` on each record, and
 * `.orders | f` on the array of them. `undefined` for every other filter, and where records are on no lines of their own.
 */
export function narrowToSet(
  { sets = [] }: Pick<StoredArtifact, "sets">,
  filter: string,
): NarrowedFilter | undefined {
  if (scanFilter(filter).seesOthers) return undefined;
  for (const set of sets) {
    const found = afterSet(set, filter);
    if (set.lines === undefined || found === undefined) continue;
    const { start, end } = set.lines;
    return {
      filter: found.filter,
      slurp: !found.isEach,
      set: { start, end, isMap: set.isMap === true },
    };
  }
  return undefined;
}

/** Whether a filter sees the records of a set one by one. */
export function runsOnEach({ sets = [] }: Pick<StoredArtifact, "sets">, filter: string): boolean {
  return sets.some((set) => afterSet(set, filter)?.isEach === true);
}

/** What a filter that begins with a set does with its records, or with each of them. */
function afterSet(
  set: SetPlace,
  filter: string,
): { readonly filter: string; readonly isEach: boolean } | undefined {
  const path = setPath(set);
  const rest = filter.slice(path.length);
  const match = filter.startsWith(path) ? REST.exec(rest) : null;
  if (match === null) return undefined;
  const isEach = match.groups?.["each"] !== undefined;
  return { filter: rest.slice(match[0].length).trim() || ".", isEach };
}

/** On which lines the records of each set are; empty where they are on no lines of their own. */
export function linesOfSets({ sets }: Pick<StoredArtifact, "sets">): string {
  if (sets?.every(({ lines }) => lines !== undefined) !== true) return "";
  return listed(sets, ({ path, count, lines }) => {
    const first = lines?.firstLine ?? 1;
    return `${setPath({ path })} on lines ${first} to ${first + count - 1}`;
  });
}
