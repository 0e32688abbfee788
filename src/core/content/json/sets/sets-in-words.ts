import type { SetPlace } from "../../../types/content.js";
import { setPath } from "./jq-path.js";

/** Sets that a sentence names. */
const MAX_NAMED = 4;
/** Longest path that stands for its set in further places. */
const MAX_PATH_CHARACTERS = 64;

/** The records of each set as jq has them, and how many there are: `.orders[] (500), .refunds[] (499)`. */
export function setsWithCounts(sets: readonly SetPlace[]): string {
  return listed(sets, (set) => `${setPath(set)}[] (${set.count})`);
}

/** The tables of sets: `orders, refunds`. */
export function tablesInWords(sets: readonly SetPlace[]): string {
  return listed(sets, ({ table }) => table);
}

/** A text for each of the first sets, and how many more there are. */
export function listed(sets: readonly SetPlace[], text: (set: SetPlace) => string): string {
  const named = sets.slice(0, MAX_NAMED).map(text);
  const more = sets.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Whether a path is too long to be written wherever its set is meant. */
export function isLongPath(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS;
}

/** What stands for a set in further places and for no other one: its path, or its table where this is long. */
export function setLabel(set: SetPlace): string {
  const path = setPath(set);
  return isLongPath(path) ? set.table : path;
}
