import { listed, setPath } from "../content/json/sets/set-names.js";
import { scanFilter } from "../engines/jq/filter.js";
import type { StoredArtifact } from "../types/artifact.js";

interface NarrowedFilter {
  readonly filter: string;
  readonly slurp: boolean;
  readonly set:
    | { readonly start: number; readonly end: number; readonly isMap: boolean }
    | undefined;
}

const REST = /^(?<each>\[\]\??)?\s*(?:$|\|(?!=))/;

/**
 * Avoids loading the whole document: `.orders[] | f` runs on each record, `.orders | f` on their array. `undefined`
 * for other filters, and without records on lines.
 */
export function narrowToSet(
  artifact: Pick<StoredArtifact, "sets">,
  filter: string,
): NarrowedFilter | undefined {
  if (artifact.sets === undefined || scanFilter(filter).seesOthers) return undefined;
  return beginsWithSet(artifact, filter).find(({ set }) => set !== undefined);
}

export function runsOnEach(artifact: Pick<StoredArtifact, "sets">, filter: string): boolean {
  return beginsWithSet(artifact, filter).some(({ slurp }) => !slurp);
}

function beginsWithSet(
  { sets = [] }: Pick<StoredArtifact, "sets">,
  filter: string,
): readonly NarrowedFilter[] {
  return sets.flatMap((place) => {
    const path = setPath(place);
    const rest = filter.slice(path.length);
    const match = filter.startsWith(path) ? REST.exec(rest) : null;
    if (match === null) return [];
    const { lines, isMap = false } = place;
    return {
      filter: rest.slice(match[0].length).trim() || ".",
      slurp: match.groups?.["each"] === undefined,
      set: lines && { start: lines.start, end: lines.end, isMap },
    };
  });
}

/** Where to read sets whose records have no numbers, after a colon. */
export function linesOfSets({ sets }: Pick<StoredArtifact, "sets">): string {
  if (sets?.every(({ lines }) => lines !== undefined) !== true) return "";
  const places = listed(sets, ({ path, count, lines }) => {
    const first = lines?.firstLine ?? 1;
    return `${setPath({ path })} on lines ${first} to ${first + count - 1}`;
  });
  return `: ${places}`;
}
