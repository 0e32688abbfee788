import { isLongPath, jqPath, setPath } from "../../content/json/sets/set-names.js";
import type { ContentProfile } from "../../profile/profile-document.js";
import { documentSets, oneSet, type RecordSet } from "../../types/content.js";
import { isRecord } from "../../../util/is-record.js";
import { counted } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { DescribeInput } from "../describer.js";

export interface SurroundingsSize {
  readonly sets: number;
  readonly restCharacters: number;
}

const MAX_NAME_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 80;
/** A number of more digits may be another one than that of the text. */
const MAX_DIGITS = 15;
const MAX_ENTRY_CHARACTERS = 300;

export function aroundRecords(
  records: RecordSet | undefined,
  rest: ContentProfile["rest"],
  maxCharacters: number,
): { readonly records_at?: string; readonly rest?: unknown } {
  if (records === undefined || records.path.length === 0) return {};
  const recordsAt = shorten(records.path.join("."), MAX_NAME_CHARACTERS);
  return { records_at: recordsAt, ...restText(rest, maxCharacters) };
}

export function surroundings(
  { content, profile, tools }: DescribeInput,
  { sets: most, restCharacters }: SurroundingsSize,
): { readonly records_at?: unknown; readonly rest?: unknown } {
  const sets = documentSets(content);
  if (sets === undefined) return aroundRecords(oneSet(content), profile?.rest, restCharacters);
  const shown = sets.slice(0, most).map(({ lines, ...set }) => {
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
    ...(profile && restText(profile.rest, restCharacters)),
  };
}

function restText(
  rest: ContentProfile["rest"],
  maxCharacters: number,
): { readonly rest?: unknown } {
  if (rest === undefined) return { rest: "more than 1 MiB" };
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
  return shown.length === 0 ? {} : { rest: Object.fromEntries(shown) };
}

function valueOf(value: unknown, bytes: number): unknown {
  if (typeof value === "number")
    return bytes <= MAX_DIGITS && Number.isFinite(value) ? value : "number";
  if (bytes <= MAX_VALUE_CHARACTERS) return value;
  const size = bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`;
  const told = bytes === Infinity ? "nested deeply" : size;
  if (Array.isArray(value)) return `list of ${value.length}, ${told}`;
  if (isRecord(value)) return `object with ${counted(Object.keys(value).length, "key")}, ${told}`;
  return `${typeof value}, ${told}`;
}
