import {
  firstHeadingTruth,
  headingsTruth,
  headingTruth,
  type ShownHeading,
} from "../truths/headings.js";
import { levelsTruth, timesTruth } from "../truths/logs.js";
import { placeTruth } from "../truths/shapes.js";
import {
  changedTruth,
  changesTruth,
  definitionTruth,
  diffsTruth,
  lineTruth,
  titleTruth,
} from "../truths/texts.js";
import { factsOf } from "./fields.js";
import { type Claim, notChecked, notUnderstood, numberOf } from "./scanner.js";

const COUNT = String.raw`\d[\d,]*`;
const LINE = /^(\d+): (.*)$/s;
const ABOUT = /^of the first .+ MB of [\d.]+ MB:$/;
const MORE = new RegExp(String.raw`^(?:at least )?(${COUNT}) more (.+?) not shown$`);

/** Lines that say nothing of the data. */
const LEGENDS: ReadonlySet<string> = new Set([
  "jq path (how many): type; text if no type is named; name? is absent or null in some",
  "line: heading",
  "line: file (added, removed lines)",
  "line: definition",
]);

type Reader = (line: string) => Claim | undefined;
type Truth = Claim["truth"];

/** What there may be more of than is shown, and is counted again. */
const TOTALS: ReadonlyMap<string, typeof diffsTruth> = new Map([
  ["headings", headingsTruth],
  ["diffs", diffsTruth],
]);

/** The claims of an outline, by what it is an outline of. */
export function outlineClaims(lines: readonly string[], kind: string): readonly Claim[] {
  const isPart = lines.some((line) => ABOUT.test(line));
  const headings: ShownHeading[] = [];
  const readers = readersOf(kind, headings);
  const claims = lines.flatMap((line, at): readonly Claim[] => {
    if (ABOUT.test(line) || LEGENDS.has(line)) return [];
    const more = MORE.exec(line);
    if (more !== null) return [moreClaim(line, more, lines, isPart)];
    let claim: Claim | undefined;
    for (const read of readers) claim ??= read(line);
    if (claim !== undefined) return [claim];
    if (kind === "html" && at === 0)
      return [{ said: `title ${line}`, truth: (evidence) => titleTruth(line, evidence) }];
    return [notUnderstood(`outline: ${line}`)];
  });
  const [first] = headings;
  if (first === undefined || isPart) return claims;
  const begins: Claim = {
    said: `the first heading is in line ${first.line}`,
    truth: (evidence) => firstHeadingTruth(first.line, evidence),
  };
  const isAll = !lines.some((line) => TOTALS.has(MORE.exec(line)?.[2] ?? ""));
  const { length } = headings;
  const all: Claim = {
    said: `${length} headings in all`,
    truth: (evidence) => headingsTruth(length, evidence),
  };
  return [...claims, begins, ...(isAll ? [all] : [])];
}

function moreClaim(
  line: string,
  [, count = "", noun = ""]: RegExpExecArray,
  lines: readonly string[],
  isPart: boolean,
): Claim {
  const total = TOTALS.get(noun);
  if (isPart || total === undefined) return notChecked(line);
  const shown = lines.filter((one) => LINE.test(one)).length;
  return { said: line, truth: (evidence) => total(shown + numberOf(count), evidence) };
}

function readersOf(kind: string, headings: ShownHeading[]): readonly Reader[] {
  switch (kind) {
    case "json-document":
    case "xml":
    case "yaml":
      return [readPlace];
    case "diff":
      return [readChanges, readChangedFile];
    case "code":
      return [readDefinition];
    case "html":
    case "markdown":
      return [(line) => readHeading(line, headings)];
    case "log":
      return LOG;
    default:
      return LINES;
  }
}

/** A line by its pattern: what is true of it follows from the groups. */
function reader(pattern: RegExp, truthOf: (...groups: string[]) => Truth): Reader {
  return (line) => {
    const groups = pattern.exec(line)?.slice(1);
    return groups && { said: line, truth: truthOf(...groups) };
  };
}

const PLACE = /^(\..*?)(?: \(([\d,]+)\))?: (.*)$/s;

function readPlace(line: string): Claim | undefined {
  const [, path = "", count, text = ""] = PLACE.exec(line) ?? [];
  const facts = factsOf(text);
  if (path === "" || facts === undefined) return undefined;
  const place = { path, facts, ...(count !== undefined && { count: numberOf(count) }) };
  return { said: line, truth: (evidence) => placeTruth(place, evidence) };
}

const readChanges = reader(
  new RegExp(String.raw`^(${COUNT}) diffs? with changed lines, \+(${COUNT}) -(${COUNT})$`),
  (...counts) => {
    const [changes = 0, added = 0, removed = 0] = counts.map(numberOf);
    return (evidence) => changesTruth({ changes, added, removed }, evidence);
  },
);

const readChangedFile = reader(
  /^(\d+): (.*) \(\+(\d+) -(\d+)\)$/s,
  (line, path = "", added, removed) => {
    const change = { line: Number(line), path, added: Number(added), removed: Number(removed) };
    return (evidence) => changedTruth(change, evidence);
  },
);

const readDefinition = reader(
  /^(\d+): *(.*)$/s,
  (line, text = "") =>
    (evidence) =>
      definitionTruth(Number(line), text, evidence),
);

/** Each heading is kept with those that are shown beside it. */
function readHeading(line: string, shown: ShownHeading[]): Claim | undefined {
  const [said, number, mark = "", text = ""] = /^(\d+): (#{1,6}) (.*)$/s.exec(line) ?? [];
  if (said === undefined) return undefined;
  const heading = { line: Number(number), level: mark.length, text };
  shown.push(heading);
  return { said, truth: (evidence) => headingTruth(heading, shown, evidence) };
}

const TIMES = new RegExp(
  String.raw`^(${COUNT}) lines have a time: first (.+) \(line (\d+)\), last (.+) \(line (\d+)\)$`,
);
const LEVEL = new RegExp(String.raw`([A-Za-z]+) (${COUNT}) \(first: line (\d+)\)`, "g");

const lineAt =
  (line: string, text: string): Truth =>
  (evidence) =>
    lineTruth(Number(line), text, evidence);

const LOG: readonly Reader[] = [
  reader(/^levels(?: of [\d,]+ of [\d,]+ lines)?: (.*)$/s, (text = "") => {
    const counts = [...text.matchAll(LEVEL)].map(
      ([, level = "", count = "", line]) => [level, [numberOf(count), Number(line)]] as const,
    );
    return (evidence) => levelsTruth(new Map(counts), evidence);
  }),
  reader(/^line (\d+): (.*)$/s, lineAt),
  reader(TIMES, (count = "", first = "", firstLine, last = "", lastLine) => {
    const places = { firstLine: Number(firstLine), lastLine: Number(lastLine) };
    const times = { count: numberOf(count), first, last, ...places };
    return (evidence) => timesTruth(times, evidence);
  }),
];

/** A text without outline of its own: lines of it. */
const LINES: readonly Reader[] = [
  reader(/^the last \d+ of [\d,]+ lines with totals:$/, () => "not checked"),
  reader(LINE, lineAt),
];
