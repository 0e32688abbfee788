import type { StoredArtifact } from "../types/artifact.js";
import type { Content, RecordSet } from "../types/content.js";
import type { RecordProfile } from "../profile/profile.js";
import { MAX_VALUE_CHARACTERS as MAX_KEPT_CHARACTERS } from "../profile/place.js";
import { parseExactly, recordParser } from "../profile/records.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";

/** `OffloadSummary` of the LRO specification. */
export interface MemorySummary {
  /** No field of the specification: only where an output was given a title. */
  readonly title?: string;
  readonly count: number;
  readonly estimated_tokens: number;
  readonly operation: string;
  readonly top_namespaces: readonly string[];
  readonly score_range: readonly [number, number] | null;
  readonly detail: StoredArtifact["detail"];
}

/** Namespaces in the summary. @source LRO specification, OffloadSummary. */
const MAX_NAMESPACES = 5;
/** A recipe takes a namespace as it is in the data: of a shortened one it would find nothing. */
const MAX_NAMESPACE_CHARACTERS = 1_024;
/** Records whose namespaces are looked at where some are longer than the profile keeps. */
const MAX_SAMPLED_RECORDS = 1_000;
const MAX_NAME_CHARACTERS = 64;
/** An id is some 20 tokens. */
const MAX_ORIGINS = 3;
/** Longest envelope that is parsed, in UTF-16 units. */
const MAX_ENVELOPE_CHARACTERS = 1_048_576;
const MAX_MEMBER_CHARACTERS = 60;

/** Records of the artifact; 0 when it has none. */
export function recordCountOf(artifact: StoredArtifact, content: Content): number {
  return artifact.recordCount ?? content.records?.count ?? 0;
}

/**
 * The summary of a memory set. Namespaces are the commonest of the sampled records, ties by name;
 * of more than 1,000 different ones, the first 1,000 are counted. Those of more than 80 characters are looked for in
 * the content.
 */
export function memorySummary(
  artifact: StoredArtifact,
  count: number,
  profile: RecordProfile | undefined,
  scoreRange: readonly [number, number] | undefined,
  content?: Content,
): MemorySummary {
  return {
    ...titleOf(artifact),
    count,
    estimated_tokens: artifact.tokens,
    operation: shorten(artifact.operation, MAX_NAME_CHARACTERS),
    top_namespaces: topNamespaces(content, profile),
    score_range: scoreRange ?? null,
    detail: artifact.detail,
  };
}

function topNamespaces(
  content: Content | undefined,
  profile: RecordProfile | undefined,
): readonly string[] {
  const field = profile?.fields.find(({ path }) => path.length === 1 && path[0] === "namespace");
  const isLong = (field?.maxCharacters ?? 0) > MAX_KEPT_CHARACTERS;
  const values = content && isLong ? sampledNamespaces(content) : (field?.commonValues ?? []);
  return values
    .slice(0, MAX_NAMESPACES)
    .map(({ value }) => shorten(String(value), MAX_NAMESPACE_CHARACTERS));
}

/** The namespaces of records spread over the set, the commonest first, ties by name. */
function sampledNamespaces(content: Content): readonly { readonly value: string }[] {
  const { records } = content;
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

/**
 * Where in the document the records were, and what stood around them: the whole envelope when it has at
 * most `maxCharacters`, otherwise its members, scalars shortened and of the others how large they are, as far as they fit. Empty when the records
 * were the document, or when nothing fits.
 */
export function surroundings(
  records: RecordSet | undefined,
  maxCharacters: number,
): { readonly records_at?: string; readonly envelope?: unknown } {
  if (records === undefined || records.path.length === 0) return {};
  const recordsAt = shorten(records.path.join("."), MAX_NAME_CHARACTERS);
  const envelope = readEnvelope(records, maxCharacters);
  return { records_at: recordsAt, ...(envelope === undefined ? {} : { envelope }) };
}

/**
 * `complete: false` when the document around the records says so, as that of pages which were not all fetched
 * does, or when a stream was stopped at its limit. Empty otherwise.
 */
export function incompleteness(
  records: RecordSet | undefined,
  complete?: Content["complete"],
): { readonly complete?: false } {
  if (complete === false) return { complete };
  const text = records?.envelope;
  if (text === undefined || text.length > MAX_ENVELOPE_CHARACTERS) return {};
  if (!text.includes('"complete"')) return {};
  try {
    const envelope: unknown = JSON.parse(text);
    if (typeof envelope !== "object" || envelope === null) return {};
    return Object.hasOwn(envelope, "complete") && Reflect.get(envelope, "complete") === false
      ? { complete: false }
      : {};
  } catch {
    return {};
  }
}

function readEnvelope({ envelope: text, path }: RecordSet, maxCharacters: number): unknown {
  if (text === undefined || text.length > MAX_ENVELOPE_CHARACTERS) return undefined;
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    return undefined;
  }
  if (isExact(value, text) && holdsNothingElse(value, path)) return undefined;
  if (text.length <= maxCharacters) return isExact(value, text) ? value : text;
  if (typeof value !== "object" || value === null) return undefined;
  const members = Object.entries(value)
    .filter(([key, member]) => key.length <= MAX_MEMBER_CHARACTERS && isShown(member))
    // What leads to the records is named beside them.
    .filter(([key, member]) => key !== path[0] || typeof member !== "object")
    .map(([key, member]) => [key, shownMember(member)] as const);
  const shown: (readonly [string, unknown])[] = [];
  let characters = 2;
  for (const member of members) {
    characters += JSON.stringify(member).length;
    if (characters > maxCharacters) break;
    shown.push(member);
  }
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** Whether there is nothing around the records but the keys that lead to them. */
function holdsNothingElse(value: unknown, path: readonly string[]): boolean {
  let inner = value;
  for (const key of path) {
    if (!isRecord(inner) || Object.keys(inner).length !== 1) return false;
    inner = inner[key];
  }
  return true;
}

/** Whether a member can be shown: a number that cannot be kept exactly is infinite. */
function isShown(member: unknown): boolean {
  return typeof member !== "number" || Math.abs(member) <= Number.MAX_SAFE_INTEGER;
}

/** A scalar, shortened; of lists and objects how many entries they have. */
function shownMember(member: unknown): unknown {
  if (typeof member === "string") return shorten(member, MAX_MEMBER_CHARACTERS);
  if (typeof member !== "object" || member === null) return member;
  const count = Object.keys(member).length;
  return Array.isArray(member) ? `list of ${count}` : `object of ${count} keys`;
}

/** Whether writing the value gives the text back, so that numbers and repeated keys are as they came. */
function isExact(value: unknown, text: string): boolean {
  return JSON.stringify(value) === text;
}
