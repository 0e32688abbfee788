import { isOneValue } from "../../../content/is-one-value.js";
import { markupOf } from "../../../content/markup.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { isRecord } from "../../../util/is-record.js";
import { readAs } from "../../engine/data-source.js";
import { narrowToSet } from "../../sets/narrow-to-set.js";
import type { DrillInContext } from "../../shared/context.js";
import type { FilterPath } from "./filter-paths.js";
import type { JqRequest } from "../request.js";

/** What a look at the data has found at one path. */
export interface PathFacts {
  /** Values there, `null` among them. */
  readonly count: number;
  /** Whether the path begins at the records themselves, or at a document. */
  readonly isAtRoot: boolean;
  /** How many values equal the one that was asked about. */
  readonly equal: number;
  /** How many values are of each type, by jq's names. */
  readonly types: ReadonlyMap<string, number>;
  /** Scalars, long texts shortened, the commonest first. */
  readonly values: readonly (readonly [value: string | number | boolean, count: number])[];
  /** Whether there are more different values than `values` has. */
  readonly hasMore: boolean;
}

/** A path, and the value that it is compared with. */
export interface AskedPath extends FilterPath {
  readonly value?: string | number | boolean | undefined;
}

/** Where a path ends that is in no record. */
export interface MissingName {
  /** Index of the first name that nothing has. */
  readonly depth: number;
  /** What stands there instead. */
  readonly keys: readonly string[];
}

/** Of the time of a run, for the look that explains it. */
const MAX_LOOK_MS = 1500;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_VALUES = 300;
const MAX_SHOWN_CHARACTERS = 60;
/** Inputs whose names are listed. */
const MAX_INPUTS = 2000;

/** Objects that have a name, wherever they are; none inside another. */
const BASES =
  'def bases($n): if type == "object" and has($n) then . ' +
  'else (.[]? | select(type == "object" or type == "array") | bases($n)) end;';
const LEAF =
  'def leaf($p): if $p == [] then . elif type == "array" then .[] | leaf($p) ' +
  'elif type == "object" and has($p[0]) then .[$p[0]] | leaf($p[1:]) else empty end;';
const SHOWN = `def shown: if type == "string" then .[:${MAX_SHOWN_CHARACTERS}] elif type == "array" then [] elif type == "object" then {} else . end;`;
/** By `[index, kind, what]` as text: how often each value, type, equal value and beginning at the root was seen. */
const FACTS = `${BASES} ${LEAF} ${SHOWN}
reduce (READ | . as $in | range($asked | length) as $i | $asked[$i] as $a | $in
  | (if type == "array" then .[] else . end | select(type == "object" and has($a.names[0])) | [$i, "root", 0]),
    (bases($a.names[0]) | leaf($a.names) | [$i, "type", type],
      (select($a | has("value")) | select(. == $a.value) | [$i, "equal", 0]), [$i, "value", shown]))
  as $fact ({seen: {}, different: 0};
  ($fact | tojson) as $key
  | if .seen[$key] then .seen[$key] += 1
    elif $fact[1] != "value" then .seen[$key] = 1
    elif .different < ${MAX_VALUES} then .seen[$key] = 1 | .different += 1
    else .seen[([$fact[0], "more", 0] | tojson)] = 1 end) | .seen`;
const MISSING = `def missing($p; $d): if type == "array" then .[] | missing($p; $d)
  elif type == "object" then (if has($p[$d]) then .[$p[$d]] | missing($p; $d + 1) else [$d, keys_unsorted[]] end)
  else [$d] end;
reduce (limit(${MAX_INPUTS}; inputs) | . as $in | range($asked | length) as $i | $in | missing($asked[$i].names; 0)
  | .[0] as $d | (.[1:] | if . == [] then null else .[] end) | [$i, $d, .[:${MAX_SHOWN_CHARACTERS}]] | tojson)
  as $key ({}; if length < ${MAX_VALUES * 4} then .[$key] = 1 else . end)`;

interface Look {
  readonly context: DrillInContext;
  readonly artifact: StoredArtifact;
  readonly request: JqRequest;
  readonly signal: AbortSignal | undefined;
}

/** Whether a filter sees all of an output as one value. */
export function seesWhole(
  artifact: StoredArtifact,
  { filter }: Pick<JqRequest, "filter">,
): boolean {
  const isWhole = isOneValue(artifact) || markupOf(artifact) !== undefined;
  return isWhole && narrowToSet(artifact, filter) === undefined;
}

/**
 * What stands at paths, wherever they begin in the data, in their order; `undefined` when the look takes too long.
 *
 * @param maxInputs - Of which the facts are. Default: all.
 */
export async function lookAtPaths(
  look: Look,
  asked: readonly AskedPath[],
  maxInputs?: number,
): Promise<readonly PathFacts[] | undefined> {
  const read = maxInputs === undefined ? "inputs" : `limit(${maxInputs}; inputs)`;
  const seen = await lookUp(
    look,
    FACTS.replace("READ", () => read),
    asked,
  );
  if (seen === undefined) return undefined;
  return asked.map((_, index) => factsOf(seen.filter(([[path]]) => path === index)));
}

/** Where paths end that are in no record, in their order; `undefined` when the look takes too long. */
export async function lookForNames(
  look: Look,
  asked: readonly FilterPath[],
): Promise<readonly MissingName[] | undefined> {
  const seen = await lookUp(look, MISSING, asked);
  if (seen === undefined) return undefined;
  return asked.map(({ names }, index) => {
    const own = seen.flatMap(([[path, depth, key]]) =>
      path === index ? [{ depth: Number(depth), key }] : [],
    );
    // Where nothing was walked, all lists on the way are empty.
    const depth = own.length === 0 ? names.length - 1 : Math.max(...own.map((one) => one.depth));
    const there = own.filter((one) => one.depth === depth);
    return { depth, keys: there.flatMap(({ key }) => (typeof key === "string" ? [key] : [])) };
  });
}

type Seen = readonly (readonly [key: readonly unknown[], count: number])[];

async function lookUp(
  { context, artifact, request, signal }: Look,
  filter: string,
  asked: readonly AskedPath[],
): Promise<Seen | undefined> {
  const narrowed = narrowToSet(artifact, request.filter);
  const result = await context.spool.with(artifact, signal, (source) =>
    context.jq().run(
      {
        source,
        ...readAs(artifact),
        ...(narrowed && { set: narrowed.set }),
        filter,
        nullInput: true,
        compact: true,
        args: {
          asked: asked.map(({ names, value }) => ({
            names,
            ...(value !== undefined && { value }),
          })),
        },
        maxOutputBytes: MAX_OUTPUT_BYTES,
        timeoutMs: Math.min(MAX_LOOK_MS, context.limits.timeoutMs),
      },
      signal,
    ),
  );
  if (result.resultCount !== 1 || result.error !== undefined) return undefined;
  const counts: unknown = JSON.parse(result.output);
  if (!isRecord(counts)) return undefined;
  return Object.entries(counts).map(([key, count]) => {
    const parts: unknown = JSON.parse(key);
    return [Array.isArray(parts) ? parts : [], Number(count)];
  });
}

function factsOf(seen: Seen): PathFacts {
  const ofKind = (kind: string): Seen => seen.filter(([key]) => key[1] === kind);
  const types = ofKind("type").map(([key, count]) => [String(key[2]), count] as const);
  const values = ofKind("value").flatMap(([[, , value], count]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [[value, count] as const]
      : [],
  );
  return {
    count: types.reduce((sum, [, count]) => sum + count, 0),
    isAtRoot: ofKind("root").length > 0,
    equal: ofKind("equal").reduce((sum, [, count]) => sum + count, 0),
    types: new Map(types),
    values: values.toSorted(([, one], [, other]) => other - one),
    hasMore: ofKind("more").length > 0,
  };
}
