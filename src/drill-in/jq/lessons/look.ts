import { isOneValue } from "../../../content/is-one-value.js";
import { markupOf } from "../../../content/markup.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { isRecord } from "../../../util/is-record.js";
import { readAs } from "../../engine/data-source.js";
import { narrowToSet } from "../../sets/narrow-to-set.js";
import type { DrillInContext } from "../../shared/context.js";
import type { FilterPath } from "./filter-paths.js";
import type { JqRequest } from "../request.js";
import { EACH, MAX_STEPS, type Step } from "./places.js";

/** What a look at the data has found at one path. */
export interface PathFacts {
  /** Values there, `null` among them. */
  readonly count: number;
  /** Whether they stand at several places of the data: of a path that is not placed. */
  readonly isSpread: boolean;
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
  /** What leads to the first name that nothing has, in the data. */
  readonly above: readonly Step[];
  /** `EACH` where all lists that the path opens are empty. */
  readonly name: Step;
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

/** Inputs whose fields are listed, and the items of a list that are looked into. */
const LISTED_INPUTS = 200;
const LISTED_ITEMS = 50;
const MAX_FIELDS = 500;

/** What stands behind steps; lists on the way are opened. */
const BEHIND =
  "def behind($p): if $p == [] then . elif $p[0] == null then .[]? | behind($p[1:]) " +
  'elif type == "array" then .[] | behind($p) ' +
  'elif type == "object" and has($p[0]) then .[$p[0]] | behind($p[1:]) else empty end;';
/** Objects that have a name, wherever they are, with the steps to them. */
const HOLDERS =
  'def holders($n; $at): if type == "object" then (select(has($n)) | [$at, .]), ' +
  "(keys_unsorted[] as $k | .[$k] | holders($n; $at + [$k])) " +
  'elif type == "array" then .[] | holders($n; $at + [null]) else empty end;';
const SHOWN = `def shown: if type == "string" then .[:${MAX_SHOWN_CHARACTERS}] elif type == "array" then [] elif type == "object" then {} else . end;`;
/** By `[index, kind, what]` as text: how often each value, type, equal value and place was seen. */
const FACTS = `${BEHIND} ${HOLDERS} ${SHOWN}
reduce (READ | . as $in | range($asked | length) as $i | $asked[$i] as $a | $in
  | if $a.isPlaced then [[], .] else holders($a.steps[0]; []) end
  | .[0] as $at | .[1] | behind($a.steps) | [$i, "place", $at], [$i, "type", type],
    (select($a | has("value")) | select(. == $a.value) | [$i, "equal", 0]), [$i, "value", shown])
  as $fact ({seen: {}, different: 0};
  ($fact | tojson) as $key
  | if .seen[$key] then .seen[$key] += 1
    elif $fact[1] != "value" and $fact[1] != "place" then .seen[$key] = 1
    elif .different < ${MAX_VALUES} then .seen[$key] = 1 | .different += 1
    else .seen[([$fact[0], "more", $fact[1]] | tojson)] = 1 end) | .seen`;
/** By `[index, how many of its steps lead there, the steps in the data, key]`. */
const MISSING = `def missing($p; $d; $at): if $d == ($p | length) then empty
  elif $p[$d] == null then (if type == "array" or type == "object" then .[] | missing($p; $d + 1; $at + [null]) else empty end)
  elif type == "array" then .[] | missing($p; $d; $at + [null])
  elif type == "object" then (if has($p[$d]) then .[$p[$d]] | missing($p; $d + 1; $at + [$p[$d]])
    else [$d, $at, keys_unsorted[]] end)
  else [$d, $at] end;
reduce (limit(${MAX_INPUTS}; inputs) | . as $in | range($asked | length) as $i | $in | missing($asked[$i].steps; 0; [])
  | .[0] as $d | .[1] as $at | (.[2:] | if . == [] then null else .[] end) | [$i, $d, $at, .[:${MAX_SHOWN_CHARACTERS}]] | tojson)
  as $key ({}; if length < ${MAX_VALUES * 4} then .[$key] = 1 else . end)`;
/** By the steps to it: each field of the first inputs. */
const FIELDS = `def fields($at): if ($at | length) >= ${MAX_STEPS} then empty elif type == "object" then keys_unsorted[] as $k | select(($k | length) <= ${MAX_SHOWN_CHARACTERS})
    | ($at + [$k]), (.[$k] | fields($at + [$k]))
  elif type == "array" then limit(${LISTED_ITEMS}; .[]) | fields($at + [null]) else empty end;
reduce (limit(${LISTED_INPUTS}; inputs) | fields([]) | tojson)
  as $key ({}; if length < ${MAX_FIELDS} then .[$key] = 1 else . end)`;

/** Where a look is made. */
export interface Look {
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
  return asked.map(({ steps }, index) => {
    const own = seen.flatMap(([[path, depth, at, key]]) =>
      path === index ? [{ depth: Number(depth), at: stepsIn(at), key }] : [],
    );
    // Where nothing was walked, all lists on the way are empty.
    const depth = own.length === 0 ? steps.length - 1 : Math.max(...own.map((one) => one.depth));
    const there = own.filter((one) => one.depth === depth);
    const keys = there.flatMap(({ key }) => (typeof key === "string" ? [key] : []));
    const above = there[0]?.at ?? steps.slice(0, depth);
    return { above, name: steps[depth] ?? EACH, keys: [...new Set(keys)] };
  });
}

/** The fields of the first inputs, by the steps to them; none when the look takes too long. */
export async function lookForFields(look: Look): Promise<readonly (readonly Step[])[]> {
  const seen = await lookUp(look, FIELDS, []);
  return (seen ?? []).map(([steps]) => stepsIn(steps));
}

function stepsIn(value: unknown): readonly Step[] {
  return Array.isArray(value)
    ? value.map((step: unknown) => (typeof step === "string" ? step : EACH))
    : [];
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
          asked: asked.map(({ steps, isPlaced, value }) => ({
            steps: isPlaced ? steps : fromName(steps),
            isPlaced,
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
  const moreOf = (kind: string): Seen => ofKind("more").filter(([key]) => key[2] === kind);
  const types = ofKind("type").map(([key, count]) => [String(key[2]), count] as const);
  const values = ofKind("value").flatMap(([[, , value], count]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [[value, count] as const]
      : [],
  );
  return {
    count: types.reduce((sum, [, count]) => sum + count, 0),
    isSpread: ofKind("place").length + moreOf("place").length > 1,
    equal: ofKind("equal").reduce((sum, [, count]) => sum + count, 0),
    types: new Map(types),
    values: values.toSorted(([, one], [, other]) => other - one),
    hasMore: moreOf("value").length > 0,
  };
}

/** Where a path begins that may begin anywhere: at its first name. */
function fromName(steps: readonly Step[]): readonly Step[] {
  return steps.slice(steps.findIndex((step) => step !== EACH));
}
