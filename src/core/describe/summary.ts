import type { StoredArtifact } from "../types/artifact.js";
import { MAX_VALUE_CHARACTERS } from "../profile/place.js";
import { recordParser } from "../profile/records.js";
import { type Content, setsOf } from "../types/content.js";
import { fieldOf } from "../../util/field-of.js";
import { shorten } from "../../util/safe-text.js";
import type { DescribeInput } from "./describer.js";

/** Namespaces in the summary. @source LRO specification, OffloadSummary. */
const MAX_NAMESPACES = 5;
const MAX_NAME_CHARACTERS = 64;
/** An id is some 20 tokens. */
const MAX_ORIGINS = 3;

/** A recipe takes a namespace as it is in the data: of a shortened one it would find nothing. */
const MAX_NAMESPACE_CHARACTERS = 1_024;
/** Records that are looked at where some namespaces are longer than the profile keeps. */
const MAX_SAMPLED_RECORDS = 1_000;

export function memorySummary(input: DescribeInput): Readonly<Record<string, unknown>> {
  const { storedArtifact: artifact, content, profile, scoreRange } = input;
  const field = profile?.root.fields.find(({ key }) => key === "namespace");
  const isLong = (field?.maxCharacters ?? 0) > MAX_VALUE_CHARACTERS;
  const commonest = (field?.commonValues ?? []).map(({ value }) => String(value));
  const namespaces = isLong ? sampledNamespaces(content) : commonest;
  return {
    ...titleOf(artifact),
    count: artifact.recordCount ?? 0,
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    top_namespaces: namespaces
      .slice(0, MAX_NAMESPACES)
      .map((namespace) => shorten(namespace, MAX_NAMESPACE_CHARACTERS)),
    score_range: scoreRange ?? null,
    detail: artifact.detail,
  };
}

function sampledNamespaces(content: Content): readonly string[] {
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
    .map(([namespace]) => namespace);
}

export function titleOf({ title }: StoredArtifact): { readonly title?: string } {
  return title === undefined ? {} : { title };
}

export function baseSummary(artifact: StoredArtifact): Readonly<Record<string, unknown>> {
  const { derivedFrom = [] } = artifact;
  const isShort = derivedFrom.length > 0 && derivedFrom.length <= MAX_ORIGINS;
  return {
    ...titleOf(artifact),
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    kind: artifact.kind,
    ...(isShort && { derived_from: derivedFrom }),
  };
}
