import { MAX_SETS } from "../../content/json/sets/choose-sets.js";
import { jqPath, setPath } from "../../content/json/sets/set-names.js";
import { isLongPath } from "../../content/json/sets/set-names.js";
import type { DocumentProfile } from "../../profile/profile-document.js";
import { isRecord } from "../../../util/is-record.js";
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
/** Longest value that is shown, most digits of one that is a number, and longest entry with its path. */
const MAX_VALUE_CHARACTERS = 80;
const MAX_DIGITS = 15;
const MAX_ENTRY_CHARACTERS = 300;

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
  const hasMore = profile?.document?.rest?.some(
    ({ value }) => typeof value === "object" && value !== null && sizeOf(value) >= MIN_SET_BYTES,
  );
  return hasMore === true ? { count_is: `of ${MAX_SETS} sets` } : {};
}

/** What else the document has: short values as they are, of others the type and the size. */
function restText(
  document: DocumentProfile | undefined,
  maxCharacters: number,
): { readonly rest?: Readonly<Record<string, unknown>> | string } {
  if (document === undefined) return {};
  const { rest } = document;
  if (rest === undefined) return { rest: "more than 1 MiB" };
  const shown: [string, unknown][] = [];
  let characters = 0;
  // What is large is named first: a short value is no loss.
  const sized = rest.map(({ path, value }) => ({ path, value, size: sizeOf(value) }));
  for (const { path, value, size } of sized.toSorted((one, other) => other.size - one.size)) {
    const entry: [string, unknown] = [jqPath(path), valueOf(value, size)];
    const length = JSON.stringify(entry).length;
    if (length > MAX_ENTRY_CHARACTERS) continue;
    characters += length;
    if (characters > maxCharacters) break;
    shown.push(entry);
  }
  const more = rest.length - shown.length;
  if (more > 0) shown.push(["…", `${more} more`]);
  return shown.length === 0 ? {} : { rest: Object.fromEntries(shown) };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function valueOf(value: unknown, size: number): unknown {
  // A number of more digits may be another one than that of the text.
  const isShown = size <= (typeof value === "number" ? MAX_DIGITS : MAX_VALUE_CHARACTERS);
  if (isShown) return value;
  const told = size < 1_000 ? `${size} B` : `${(size / 1_000).toFixed(1)} kB`;
  if (Array.isArray(value)) return `list of ${value.length}, ${told}`;
  if (isRecord(value)) return `object of ${Object.keys(value).length} keys, ${told}`;
  return `${typeof value}, ${told}`;
}
