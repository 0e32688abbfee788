import { nameOf } from "../../cursor/member-name.js";
import { restoreCommasNow } from "../json-marks.js";
import type { RecordSetPlace } from "../json-outline.js";
import { isRecord } from "../../../../util/is-record.js";

/** Members whose objects tell where other pages are: they belong to the header. */
const LINKS: ReadonlySet<string> = new Set(["link", "links"]);
const MIN_MAP_VALUES = 3;

/**
 * Whether there is a list of two or more values beside a set, half of them objects, or a map of three or more objects with a
 * key that all have; links to other pages are neither. All that is beside the set is parsed, so it must be short.
 *
 * @param buffer - The compacted text with the outline's marks.
 */
export function hasListBeside(
  buffer: Buffer,
  { start, end }: RecordSetPlace,
  length: number,
): boolean {
  const around = Buffer.concat([buffer.subarray(0, start + 1), buffer.subarray(end - 1, length)]);
  restoreCommasNow(around, 0, around.length);
  return holdsList(JSON.parse(around.toString("utf8")));
}

function holdsList(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.length > 1 && value.filter(isRecord).length * 2 >= value.length;
  }
  if (!isRecord(value)) return false;
  const members = Object.entries(value).filter(([key]) => !LINKS.has(nameOf(key)));
  return isMapOfLike(members) || members.some(([, member]) => holdsList(member));
}

function isMapOfLike(members: readonly (readonly [string, unknown])[]): boolean {
  const values = members.map(([, value]) => value).filter(isRecord);
  if (members.length < MIN_MAP_VALUES || values.length < members.length) return false;
  return Object.keys(values[0] ?? {}).some((key) => values.every((one) => Object.hasOwn(one, key)));
}
