import type { Drawn } from "./file.js";

/** What differs from run to run and says nothing: each stands as a word in place of it. */
const BY_CHANCE: readonly (readonly [pattern: RegExp, word: string])[] = [
  // Before ids: an hour that begins with 01 looks like one.
  [/(?<!\d)(?:20\d{6}_\d{6}|1[789]\d{8})(?!\d)/g, "TIME"],
  // Also one that a shortened line has cut off.
  [/(?<![A-Za-z0-9])01[0-9A-HJKMNP-TV-Z]{3,24}(?![A-Za-z0-9])/g, "ID"],
  [/(?<=\/tmp\/\w+-)\w{6}(?=\/)/g, "CHANCE"],
  [/(?<=records\)\. )[\d.]+ s(?=\.)/g, "SECONDS"],
  [/(?<=memory of this process[^\d<]*(?:<\/td><td[^>]*>)?)[\d,]+/g, "MEMORY"],
];
/** What depends on how many data there are: figures, quoted examples, where a long line is cut, and the answer. */
const BY_SIZE: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/^Equal to the data: .*$/gm, "ANSWER"],
  // Values of a sample; a long one is not shown.
  [
    /(?:, e\.g\. | \(e\.g\. )~(?:\\+"[^"\\]*\\+"|[^,;"\\)]*)(?:, ~(?:\\+"[^"\\]*\\+"|[^,;"\\)]*))*/g,
    "",
  ],
  [/\[-?[\d.,-]+\]/g, "[N]"],
  [/-?\d[\d,]*(?:\.\d+)?/g, "N"],
  [/(?<=^.{400}).*… \(N characters\)$/gm, "…"],
];
const MAX_SHOWN = 160;

/**
 * How what is shown now differs from what is committed, first line by first line, for a person to read; empty where
 * it does not. `resized` says that it was executed over fewer data: figures and examples are then left
 * out, and so are charts.
 */
export function differences(
  committed: readonly Drawn[],
  executed: readonly Drawn[],
  resized: boolean,
): string[] {
  const counts =
    committed.length === executed.length
      ? []
      : [`It shows ${executed.length} things and is committed with ${committed.length}.`];
  const both = Math.min(committed.length, executed.length);
  const within = Array.from({ length: both }, (_, index) => {
    const [before = {}, now = {}] = [committed[index], executed[index]];
    return differencesOfOne(before, now, resized).map((text) => `Output ${index + 1}, ${text}`);
  });
  return [...counts, ...within.flat()];
}

function differencesOfOne(before: Drawn, now: Drawn, resized: boolean): string[] {
  const mediaTypes = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  return mediaTypes.flatMap((mediaType) => {
    const [old, current] = [before[mediaType], now[mediaType]];
    if (old === undefined) return [`${mediaType}: it is new.`];
    if (current === undefined) return [`${mediaType}: it is gone.`];
    if (resized && mediaType.startsWith("image/")) return [];
    const [oldLines, lines] = [old, current].map((text) => comparable(text, resized).split("\n"));
    const first = firstDifference(oldLines ?? [], lines ?? []);
    return first === undefined ? [] : [`${mediaType}${first}`];
  });
}

/** Without what changes from run to run, or with the size of the data. */
function comparable(text: string, resized: boolean): string {
  const patterns = resized ? [...BY_CHANCE, ...BY_SIZE] : BY_CHANCE;
  return patterns.reduce((left, [pattern, word]) => left.replace(pattern, word), text).trimEnd();
}

function firstDifference(before: readonly string[], now: readonly string[]): string | undefined {
  const length = Math.max(before.length, now.length);
  const differing = Array.from({ length }, (_, at) => at).filter((at) => before[at] !== now[at]);
  const [first] = differing;
  if (first === undefined) return undefined;
  const [old = "", current = ""] = [before[first], now[first]];
  const from = Math.max(0, sameStart(old, current) - MAX_SHOWN / 4);
  const part = (line: string | undefined): string =>
    line === undefined ? "(no such line)" : line.slice(from, from + MAX_SHOWN);
  return `, line ${first + 1} (of ${differing.length} that differ):\n  committed: ${part(before[first])}\n  now:       ${part(now[first])}`;
}

function sameStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
