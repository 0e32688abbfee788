import { jqPath } from "../../../describe/recipes/jq-path.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { nearestNames } from "../../../util/nearest-names.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import type { DrillInContext } from "../../shared/context.js";
import { scanFilter } from "../filter.js";
import { type FilterComparison, type FilterPath, pathsOf } from "./filter-paths.js";
import { hintForFields, type JqAttempt } from "../hints.js";
import { lookAtPaths, lookForNames, type PathFacts, seesWhole } from "./look.js";
import type { JqRequest } from "../request.js";
import { valueLesson } from "./value-lessons.js";

/** What a run came to, as far as a lesson depends on it. */
export interface RunOutcome {
  readonly results: readonly string[];
  readonly error: string | undefined;
}

const MAX_SENTENCES = 3;
const MAX_PATHS = 8;
const MAX_LISTED = 12;
const MAX_NAME_CHARACTERS = 40;
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
  const isOwn = ({ names }: FilterPath): boolean => !names.some((name) => made.has(name));
  const { paths, comparisons: all } = pathsOf(request.filter);
  const comparisons = all.filter(isOwn);
  const isOfData = isNull && !MAKES_NAMES.test(request.filter);
  const suspects = isOfData ? unknownPaths(paths.filter(isOwn), attempt) : [];
  const judged = isNothing ? comparisons : error === undefined ? comparisons.filter(isOrder) : [];
  const asked = [...suspects, ...judged].slice(0, MAX_PATHS);
  if (asked.length === 0) return undefined;
  const look = { context, artifact, request, signal };
  const facts = await lookAtPaths(look, asked, isNull ? undefined : SAMPLED_INPUTS);
  if (facts === undefined) return isNull ? hintForFields(attempt) : undefined;
  const missing = asked.filter((_, index) => isNull && facts[index]?.count === 0);
  const sentences = [
    ...suspects.flatMap(
      (path) => placeSentence(look, path, facts[asked.indexOf(path)], attempt) ?? [],
    ),
    ...(await missingSentences(look, distinct(missing), attempt)),
    ...judged.flatMap((comparison) => {
      const fact = facts[asked.indexOf(comparison)];
      if (fact === undefined || fact.count === 0) return [];
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

type Look = Parameters<typeof lookForNames>[0];

async function missingSentences(
  look: Look,
  missing: readonly FilterPath[],
  { artifact: { fields } }: JqAttempt,
): Promise<readonly string[]> {
  if (missing.length === 0) return [];
  const found = await lookForNames(look, missing);
  return missing.map(({ names }, index) => {
    const { depth = names.length - 1, keys = [] } = found?.[index] ?? {};
    const above = names.slice(0, depth);
    const name = names[depth] ?? "";
    const beside = nearestNames(name, keys).map((near) => jqPath([...above, near]));
    const near = beside.length > 0 ? beside : elsewhere(name, fields);
    const instead =
      near.length > 0
        ? `; nearest: ${near.map(shown).join(", ")}.`
        : keys.length === 0
          ? "."
          : `. Fields${above.length === 0 ? "" : ` of ${shown(jqPath(above))}`}: ${listed(keys)}`;
    return `${nothing(look)} has ${shown(jqPath([...above, name]))}${instead}`;
  });
}

/** Where a field is that records have, but not as their own. */
function placeSentence(
  { artifact, request }: Look,
  { names }: FilterPath,
  facts: PathFacts | undefined,
  { artifact: { fields } }: JqAttempt,
): string | undefined {
  if (seesWhole(artifact, request) || facts === undefined || facts.count === 0 || facts.isAtRoot)
    return undefined;
  const places = fields.filter((field) => field.endsWith(`.${names.join(".")}`));
  if (places.length === 0) return undefined;
  const there = places.slice(0, MAX_SENTENCES).map((place) => shown(`.${place}`));
  return `No record has ${shown(jqPath(names))} itself; there is ${there.join(", ")}.`;
}

/** Fields of that name, or nearly, at other places. */
function elsewhere(name: string, fields: readonly string[]): readonly string[] {
  const lasts = new Map(fields.map((field) => [field.split(".").at(-1) ?? field, field] as const));
  return nearestNames(name, [...lasts.keys()]).map((near) => `.${lasts.get(near)}`);
}

function nothing({ artifact, request }: Look): string {
  return seesWhole(artifact, request) ? "Nothing in the document" : "No record";
}

/** Paths that are in no list of fields. */
function unknownPaths(
  paths: readonly FilterPath[],
  { artifact: { layout, fields } }: JqAttempt,
): readonly FilterPath[] {
  // What a filter finds in lines of text it makes.
  if (layout === "text") return [];
  const known = new Set(fields);
  return distinct(paths).filter(({ names }) => !known.has(names.join(".")));
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
  return [...new Map(paths.map((path) => [safeJson(path.names), path])).values()];
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

function listed(keys: readonly string[]): string {
  const names = keys.slice(0, MAX_LISTED).map(shown);
  return `${names.join(", ")}${keys.length > names.length ? " and more" : ""}.`;
}

/** A name from the data, safe to stand in a sentence. */
function shown(name: string): string {
  return shorten(name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?"), MAX_NAME_CHARACTERS);
}
