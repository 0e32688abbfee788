import { setPath } from "../content/json/sets/set-names.js";
import { isOneDocument, readAs, withSources } from "../engines/data-source.js";
import type { JqRequest, JqResult } from "../engines/jq/engine.js";
import { scanFilter } from "../engines/jq/filter.js";
import type { JqInput } from "../engines/jq/job.js";
import type { SetLines } from "../engines/readers/record-readers.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInContext, NamedOutput } from "./context.js";

interface NarrowedFilter {
  readonly filter: string;
  readonly slurp: boolean;
  readonly set: SetLines | undefined;
}

const REST = /^(?<each>\[\]\??)?\s*(?:$|\|(?!=))/;

type Query = Omit<JqRequest, keyof JqInput | "bodies">;

/**
 * @param others - Variables that hold other outputs.
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function runJq(
  { bodyCache, jq }: Pick<DrillInContext, "bodyCache" | "jq">,
  artifact: StoredArtifact,
  query: Query,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[] = [],
): Promise<JqResult> {
  const form = readAs(artifact);
  // A document is one value, whose parts have their own paths; with an array of all, `inputs` would be empty.
  const slurp = query.slurp && !isOneDocument(form) && !scanFilter(query.filter).callsInputs;
  const narrowed = slurp ? undefined : narrowToSet(artifact, query.filter);
  return await bodyCache.with(artifact, signal, (source) =>
    withSources(
      others,
      (other, use) => bodyCache.with(other.artifact, signal, use),
      async (given) => {
        const bodies = given.map(({ name, artifact: other, source: body }) => ({
          name,
          source: body,
          ...readAs(other),
        }));
        return await jq().run({ ...query, ...form, slurp, ...narrowed, source, bodies }, signal);
      },
    ),
  );
}

/**
 * Avoids loading the whole document: `.orders[] | f` runs on each record, `.orders | f` on their array. `undefined`
 * for other filters, and without records on lines.
 */
function narrowToSet(artifact: StoredArtifact, filter: string): NarrowedFilter | undefined {
  if (scanFilter(filter).seesOthers) return undefined;
  return beginsWithSet(artifact, filter).find(({ set }) => set !== undefined);
}

export function runsOnce(
  artifact: StoredArtifact,
  { filter, slurp = false }: Pick<Query, "filter" | "slurp">,
): boolean {
  return slurp || isOneDocument(readAs(artifact)) || scanFilter(filter).callsInputs;
}

export function beginsWithSet(
  { sets = [] }: StoredArtifact,
  filter: string,
): readonly NarrowedFilter[] {
  return sets.flatMap((place) => {
    const path = setPath(place);
    const rest = filter.slice(path.length);
    const match = filter.startsWith(path) ? REST.exec(rest) : null;
    if (match === null) return [];
    const { lines, isMap = false } = place;
    return {
      filter: rest.slice(match[0].length).trim(),
      slurp: match.groups?.["each"] === undefined,
      set: lines && { start: lines.start, end: lines.end, isMap },
    };
  });
}
