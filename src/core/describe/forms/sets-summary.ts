import { MAX_SETS } from "../../content/json/sets/choose-sets.js";
import { jqPath, setPath } from "../../content/json/sets/set-names.js";
import { isLongPath } from "../../content/json/sets/set-names.js";
import type { DocumentProfile, RestMember } from "../../profile/profile-document.js";
import type { FormInput } from "./form-input.js";

/** How much of a document's sets a summary names. */
interface SetsSize {
  /** Sets that are named, with their counts. */
  readonly sets: number;
  /** UTF-16 units of what stands beside the sets. */
  readonly restCharacters: number;
}

/** What has fewer bytes was no candidate for a set beside others. */
const MIN_SET_BYTES = 1_024;

/** Where the sets are, as jq takes it, how many records each has, and what is beside them; empty for other outputs. */
export function setsSummary(
  { content: { sets }, profile, tools }: FormInput,
  size: SetsSize,
): Readonly<Record<string, unknown>> {
  if (sets === undefined) return {};
  const shown = sets.slice(0, size.sets).map(({ lines, ...set }) => {
    const path = setPath(set);
    return {
      path,
      count: set.count,
      ...(lines && { lines: `${lines.firstLine}-${lines.firstLine + set.count - 1}` }),
      ...((tools.sql !== undefined || isLongPath(path)) && { table: set.table }),
    };
  });
  const more = sets.length - shown.length;
  return {
    records_at: more > 0 ? [...shown, `and ${more} more`] : shown,
    ...restText(profile?.document, size.restCharacters),
  };
}

/** What `count` is of where the document has more lists or objects than were made sets; else empty. */
export function countIs({ storedArtifact: { sets = [] }, profile }: FormInput): {
  readonly count_is?: string;
} {
  if (sets.length < MAX_SETS) return {};
  const hasMore = profile?.document?.rest.some(
    ({ type, sizeBytes }) => (type === "array" || type === "object") && sizeBytes >= MIN_SET_BYTES,
  );
  return hasMore === true ? { count_is: `of ${MAX_SETS} sets` } : {};
}

/** What else the document has: short values as they are, of others the type and the size. */
function restText(
  document: DocumentProfile | undefined,
  maxCharacters: number,
): { readonly rest?: Readonly<Record<string, unknown>> } {
  const { rest = [], unnamed = 0, hasMore = false } = document ?? {};
  // Of a key that comes again the last value holds.
  const members = [...new Map(rest.map((member) => [jqPath(member.path), member])).values()];
  const shown: [string, unknown][] = [];
  let characters = 0;
  // What is large is named first: a short value is no loss.
  for (const member of members.toSorted((one, other) => other.sizeBytes - one.sizeBytes)) {
    const entry: [string, unknown] = [jqPath(member.path), valueOf(member)];
    characters += JSON.stringify(entry).length;
    if (characters > maxCharacters) break;
    shown.push(entry);
  }
  const more = members.length - shown.length + unnamed;
  if (more > 0) shown.push(["…", `${hasMore ? "at least " : ""}${more} more`]);
  return shown.length === 0 ? {} : { rest: Object.fromEntries(shown) };
}

function valueOf({ type, text, sizeBytes, count }: RestMember): unknown {
  const value: unknown = text === undefined ? undefined : parsed(text);
  // A number that JavaScript does not keep would be another one.
  if (value !== undefined && JSON.stringify(value) === text) return value;
  const size = sizeBytes < 1_000 ? `${sizeBytes} B` : `${(sizeBytes / 1_000).toFixed(1)} kB`;
  const name = type === "array" ? "list" : type;
  if (count === undefined) return `${name}, ${size}`;
  return type === "array" ? `list of ${count}, ${size}` : `object of ${count} keys, ${size}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
