import { fieldName } from "../../../describe/profile/field-name.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { safeJson } from "../../../util/safe-text.js";
import { narrowToSet } from "../../sets/narrow-to-set.js";
import type { DrillInContext } from "../../shared/context.js";
import { scanFilter } from "../filter.js";
import { type FilterComparison, type FilterPath, pathsOf } from "./filter-paths.js";
import { hintForFields, type JqAttempt } from "../hints.js";
import { lookAtPaths, seesWhole } from "./look.js";
import { missingSentences } from "./missing-names.js";
import { EACH, keysIn, listOf, type Place, ROOT } from "./places.js";
import type { JqRequest } from "../request.js";
import { valueLesson } from "./value-lessons.js";

/** What a run came to, as far as a lesson depends on it. */
export interface RunOutcome {
  readonly results: readonly string[];
  readonly error: string | undefined;
}

const MAX_SENTENCES = 3;
const MAX_PATHS = 8;
/** Of results that are looked at. */
const MAX_RESULTS = 50;
const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 4;
/** Inputs whose types are looked at when there are results. */
const SAMPLED_INPUTS = 200;
/** Texts as their own names: of a pattern's groups, and what jq's own functions make. */
const GROUP = /\?<(\w{1,63})>/g;
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  to_entries: ["key", "value"],
  with_entries: ["key", "value"],
  match: ["offset", "length", "string", "captures", "name"],
};
/** What gives objects of which nobody knows the names: of texts, pairs, the environment, and computed ones. */
const MAKES_NAMES = /(?:^|[^.\w])(?:fromjson|from_entries|env|INDEX)\b|\$ENV\b|\)\s{0,9}:/;

/**
 * Why a filter may have given nothing, or nothing but `null`: fields that no record has, values that no field has.
 * Looks at the data again, and says only what it has found there; `undefined` when it has found nothing to say.
 *
 * @throws What the store throws, and the signal's reason when it aborts.
 */
export async function lessonOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  { results, error }: RunOutcome,
  attempt: JqAttempt,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const isNothing = error === undefined && results.every(isEmpty);
  const isNull = isNothing || error !== undefined || hasAlwaysNull(parsed(results));
  // Nobody knows here which of several outputs a path is in.
  if (request.others.length > 0) return isNull ? hintForOutputs(attempt) : undefined;
  const made = madeNames(request.filter);
  const makesNames = MAKES_NAMES.test(request.filter);
  const { filter, input } = runOn(artifact, request);
  const { paths, comparisons: all } = pathsOf(filter, input);
  const isOwn = ({ names, isPlaced }: FilterPath): boolean =>
    isPlaced || !names.some((name) => made.has(name));
  const comparisons = all.filter(isOwn);
  const ofData = paths.filter((path) => isOwn(path) && (path.isPlaced || !makesNames));
  const isOfRecords = artifact.sets === undefined && !seesWhole(artifact, request);
  const suspects = isNull ? unknownPaths(ofData, attempt, isOfRecords) : [];
  const judged = isNothing ? comparisons : error === undefined ? comparisons.filter(isOrder) : [];
  const asked = [...suspects, ...judged].slice(0, MAX_PATHS);
  if (asked.length === 0) return undefined;
  const look = { context, artifact, request, signal };
  const facts = await lookAtPaths(look, asked, isNull ? undefined : SAMPLED_INPUTS);
  if (facts === undefined) return isNull ? hintForFields(attempt) : undefined;
  const missing = asked.filter((_, index) => isNull && facts[index]?.count === 0);
  const sentences = [
    ...(await missingSentences(look, distinct(missing))),
    ...judged.flatMap((comparison) => {
      const fact = facts[asked.indexOf(comparison)];
      // Of a name at several places nobody knows here which is meant.
      if (fact === undefined || fact.count === 0 || fact.isSpread) return [];
      return valueLesson(comparison, fact, isNothing) ?? [];
    }),
  ];
  return sentences.length === 0 ? undefined : sentences.slice(0, MAX_SENTENCES).join(" ");
}

function hintForOutputs(attempt: JqAttempt): string | undefined {
  const { forms } = attempt;
  const fields = forms?.isMistaken === true ? undefined : hintForFields(attempt);
  const told = [fields, forms?.sentence].filter((line) => line !== undefined);
  return told.length === 0 ? undefined : told.join("\n");
}

/** What runs on the data, and what it sees of them. */
function runOn(
  artifact: StoredArtifact,
  request: JqRequest,
): { readonly filter: string; readonly input: Place | undefined } {
  const narrowed = request.slurp ? undefined : narrowToSet(artifact, request.filter);
  const { slurp, filter } = narrowed ?? request;
  // A filter that asks for its inputs is given none.
  const isAsking = !slurp && scanFilter(filter).usesInputs;
  return { filter, input: isAsking ? undefined : slurp ? listOf(ROOT) : ROOT };
}

/** Paths that are in no list of fields, which are those of the records wherever these are. */
function unknownPaths(
  paths: readonly FilterPath[],
  { artifact: { layout, fields } }: JqAttempt,
  isOfRecords: boolean,
): readonly FilterPath[] {
  // What a filter finds in lines of text it makes.
  if (layout === "text") return [];
  const known = new Set(isOfRecords ? fields : []);
  return distinct(paths).filter(
    ({ steps }) => steps.includes(EACH) || !known.has(fieldName(keysIn(steps))),
  );
}

/** Names that a filter may make itself: of objects, of a pattern's groups, and what functions of jq give. */
function madeNames(filter: string): ReadonlySet<string> {
  const groups = [...filter.matchAll(GROUP)].map(([, name = ""]) => name);
  const given = Object.entries(BUILT_IN).flatMap(([call, names]) =>
    filter.includes(call) ? names : [],
  );
  return new Set([...scanFilter(filter).made, ...groups, ...given]);
}

function distinct<Path extends FilterPath>(paths: readonly Path[]): readonly Path[] {
  return [...new Map(paths.map((path) => [safeJson([path.isPlaced, path.steps]), path])).values()];
}

/** Whether texts that are numbers give another answer than numbers, however much is found. */
function isOrder({ operator, value }: FilterComparison): boolean {
  return typeof value === "number" && operator !== "==";
}

/** A result that says that nothing was found. */
function isEmpty(result: string): boolean {
  return ["null", "[]", "{}", '""', "0", "false"].includes(result);
}

function parsed(results: readonly string[]): readonly unknown[] {
  let characters = 0;
  return results.slice(0, MAX_RESULTS).flatMap((result): unknown[] => {
    characters += result.length;
    return characters > MAX_CHARACTERS ? [] : [JSON.parse(result)];
  });
}

/** Whether all values, or what stands at one of their places, are `null`. */
function hasAlwaysNull(values: readonly unknown[], depth = 0): boolean {
  if (values.length === 0 || depth > MAX_DEPTH) return false;
  if (values.every((value) => value === null)) return true;
  if (values.every((value) => Array.isArray(value)))
    return hasAlwaysNull(values.flat().slice(0, MAX_RESULTS), depth + 1);
  const [first] = values;
  if (typeof first !== "object" || first === null || Array.isArray(first)) return false;
  return Object.keys(first).some((key) => {
    const members = values.map((value): unknown =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    );
    return !members.includes(undefined) && hasAlwaysNull(members, depth + 1);
  });
}
