import type { StoredArtifact } from "../types/artifact.js";
import { MAX_VALUE_CHARACTERS } from "../profile/place.js";
import { shorten } from "../../util/safe-text.js";
import type { DescribeInput } from "./describer.js";

/** Namespaces in the summary. @source LRO specification, OffloadSummary. */
const MAX_NAMESPACES = 5;
const MAX_NAME_CHARACTERS = 64;
/** An id is some 20 tokens. */
const MAX_ORIGINS = 3;

/**
 * `OffloadSummary` of the LRO specification. Namespaces are the commonest of the records that were looked at, ties by name; none
 * where some are over 80 characters, which are not counted.
 */
export function memorySummary(input: DescribeInput): Readonly<Record<string, unknown>> {
  const { storedArtifact: artifact, profile, scoreRange } = input;
  const field = profile?.root.fields.find(({ key }) => key === "namespace");
  const isKnown = (field?.maxCharacters ?? 0) <= MAX_VALUE_CHARACTERS;
  const namespaces = isKnown ? (field?.commonValues ?? []) : [];
  return {
    ...titleOf(artifact),
    count: artifact.recordCount ?? 0,
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    top_namespaces: namespaces.slice(0, MAX_NAMESPACES).map(({ value }) => String(value)),
    score_range: scoreRange ?? null,
    detail: artifact.detail,
  };
}

/** The title that an output was given. */
export function titleOf({ title }: StoredArtifact): { readonly title?: string } {
  return title === undefined ? {} : { title };
}

/** What records and text have in their summary alike. */
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
