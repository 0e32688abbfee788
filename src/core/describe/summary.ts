import type { StoredArtifact } from "../types/artifact.js";
import { type Content, setsOf } from "../types/content.js";
import type { RecordProfile } from "../profile/profile.js";
import { MAX_VALUE_CHARACTERS as MAX_KEPT_CHARACTERS } from "../profile/place.js";
import { recordParser } from "../profile/records.js";
import { fieldOf } from "../../util/field-of.js";
import { shorten } from "../../util/safe-text.js";
import type { DescribeInput } from "./describer.js";

/** Namespaces in the summary. @source LRO specification, OffloadSummary. */
const MAX_NAMESPACES = 5;
/** A recipe takes a namespace as it is in the data: of a shortened one it would find nothing. */
const MAX_NAMESPACE_CHARACTERS = 1_024;
/** Records whose namespaces are looked at where some are longer than the profile keeps. */
const MAX_SAMPLED_RECORDS = 1_000;
const MAX_NAME_CHARACTERS = 64;
/** An id is some 20 tokens. */
const MAX_ORIGINS = 3;

/**
 * `OffloadSummary` of the LRO specification. Namespaces are the commonest of the sampled records, ties by name;
 * of more than 1,000 different ones, the first 1,000 are counted. Those of more than 80 characters are looked for in
 * the content.
 */
export function memorySummary({
  storedArtifact: artifact,
  content,
  profile,
  scoreRange,
}: DescribeInput): Readonly<Record<string, unknown>> {
  return {
    ...titleOf(artifact),
    count: artifact.recordCount ?? 0,
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    top_namespaces: topNamespaces(content, profile),
    score_range: scoreRange ?? null,
    detail: artifact.detail,
  };
}

function topNamespaces(content: Content, profile: RecordProfile | undefined): readonly string[] {
  const field = profile?.fields.find(({ path }) => path.length === 1 && path[0] === "namespace");
  const isLong = (field?.maxCharacters ?? 0) > MAX_KEPT_CHARACTERS;
  const values = isLong ? sampledNamespaces(content) : (field?.commonValues ?? []);
  return values
    .slice(0, MAX_NAMESPACES)
    .map(({ value }) => shorten(String(value), MAX_NAMESPACE_CHARACTERS));
}

/** The namespaces of records spread over the set, the commonest first, ties by name. */
function sampledNamespaces(content: Content): readonly { readonly value: string }[] {
  const [records] = setsOf(content);
  if (records === undefined) return [];
  const { count, sampleCount = count } = records;
  const sampled = Math.min(sampleCount, MAX_SAMPLED_RECORDS);
  const parse = recordParser(content);
  const counts = new Map<string, number>();
  for (let sample = 0; sample < sampled; sample += 1) {
    const value = fieldOf(parse(records.at(Math.floor((sample * count) / sampled))), "namespace");
    if (typeof value === "string") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([value]) => ({ value }));
}

/** The title that an output was given. */
export function titleOf({ title }: StoredArtifact): { readonly title?: string } {
  return title === undefined ? {} : { title };
}

/** What records and text have in their summary alike. */
export function baseSummary(artifact: StoredArtifact): Readonly<Record<string, unknown>> {
  return {
    ...titleOf(artifact),
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    kind: artifact.kind,
    ...originsOf(artifact),
  };
}

/** The outputs that it was made from, where they are few. */
function originsOf({ derivedFrom = [] }: StoredArtifact): {
  readonly derived_from?: readonly string[];
} {
  const isShort = derivedFrom.length > 0 && derivedFrom.length <= MAX_ORIGINS;
  return isShort ? { derived_from: derivedFrom } : {};
}
