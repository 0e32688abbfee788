import type { JsonObject } from "../../util/is-record.js";
import { bytes as sizeOf } from "../../util/amounts.js";
import { shorten } from "../../util/safe-text.js";
import { isLongPath, jqPath, setPath } from "../content/json/sets/set-names.js";
import type { ContentProfile } from "../profile/profile-document.js";
import type { StoredArtifact } from "../types/artifact.js";
import { documentSets, oneSet, type RecordSet } from "../types/content.js";
import type { DescribeInput } from "./describer.js";

/** @source LRO specification, OffloadSummary. */
const MAX_NAMESPACES = 5;
const MAX_NAME_CHARACTERS = 64;

export function memorySummary({
  storedArtifact: artifact,
  profile,
  scoreRange,
}: DescribeInput): JsonObject {
  const field = profile?.root.fields.find(({ key }) => key === "namespace");
  return {
    title: artifact.title,
    count: artifact.recordCount ?? 0,
    estimated_tokens: artifact.tokens,
    operation: artifact.operation,
    top_namespaces: (field?.commonValues ?? [])
      .slice(0, MAX_NAMESPACES)
      .map(({ value }) => String(value)),
    score_range: scoreRange ?? null,
    detail: artifact.detail,
  };
}

/** JSON leaves out members that are `undefined`. */
export function baseSummary(
  artifact: StoredArtifact,
  scoreRange?: DescribeInput["scoreRange"],
): JsonObject {
  return {
    title: artifact.title,
    estimated_tokens: artifact.tokens,
    operation: artifact.operation,
    kind: artifact.kind,
    score_range: scoreRange,
  };
}

const MAX_REST_CHARACTERS = 80;
const MAX_ENTRY_CHARACTERS = 300;

export function aroundRecords(
  records: RecordSet | undefined,
  rest: ContentProfile["rest"],
  maxCharacters: number,
): JsonObject {
  if (records === undefined || records.path.length === 0) return {};
  const recordsAt = shorten(records.path.join("."), MAX_NAME_CHARACTERS);
  return { records_at: recordsAt, ...restText(rest, maxCharacters) };
}

export function surroundings(
  { content, profile, tools }: DescribeInput,
  most: number,
  share: number,
): JsonObject {
  const restCharacters = Math.max(60, 300 * share);
  const sets = documentSets(content);
  if (sets === undefined) return aroundRecords(oneSet(content), profile?.rest, restCharacters);
  const shown = sets.slice(0, most).map(({ lines, ...set }) => {
    const path = setPath(set);
    return {
      path,
      count: set.count,
      lines: lines && `${lines.firstLine}-${lines.firstLine + set.count - 1}`,
      table: tools.sql !== undefined || isLongPath(path) ? set.table : undefined,
    };
  });
  const more = sets.length - shown.length;
  return {
    records_at: more > 0 ? [...shown, `and ${more} more`] : shown,
    ...(profile && restText(profile.rest, restCharacters)),
  };
}

function restText(rest: ContentProfile["rest"], maxCharacters: number): JsonObject {
  if (rest === undefined) return { rest: "more than 256 KiB" };
  const shown: [string, unknown][] = [];
  let left = maxCharacters;
  for (const { path, value, bytes } of rest.toSorted((one, other) => other.bytes - one.bytes)) {
    const entry: [string, unknown] = [jqPath(path), valueOf(value, bytes)];
    const { length } = JSON.stringify(entry);
    if (length > MAX_ENTRY_CHARACTERS) continue;
    left -= length;
    if (left < 0) break;
    shown.push(entry);
  }
  const more = rest.length - shown.length;
  if (more > 0) shown.push(["…", `${more} more`]);
  return { rest: shown.length === 0 ? undefined : Object.fromEntries(shown) };
}

function valueOf(value: unknown, bytes: number): unknown {
  if (bytes <= MAX_REST_CHARACTERS) return value;
  const told = bytes === Infinity ? "" : `, ${sizeOf(bytes)}`;
  return `${Array.isArray(value) ? `list of ${value.length}` : typeof value}${told}`;
}
