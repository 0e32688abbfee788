import type { Claim } from "../claim.js";
import { numberOf } from "./scanner.js";
import { factsOf } from "./fields.js";

const COUNT = String.raw`\d[\d,]*`;
const LINE = /^(\d+): ( *)(.*)$/s;
const ABOUT = /^of the (?:first|last) .+ MB of [\d.]+ MB:$/;
const MORE = new RegExp(String.raw`^(?:at least )?(${COUNT}) more (.+?) not shown$`);

const HEADINGS = "line: heading (how many lines)";

/** Lines that say nothing of the data. */
const LEGENDS: ReadonlySet<string> = new Set([
  "jq path (how many): type; text if no type is named; name? is absent or null in some",
  HEADINGS,
  "line: file (added, removed lines)",
  "line: definition",
]);

type Reader = (line: string) => Claim | undefined;

/** The claims of an outline, by what it is an outline of. */
export function outlineClaims(lines: readonly string[], kind: string): readonly Claim[] {
  const isPart = lines.some((line) => ABOUT.test(line));
  const claims = lines.flatMap((line, at): readonly Claim[] => {
    if (ABOUT.test(line) || LEGENDS.has(line)) return [];
    const more = MORE.exec(line);
    if (more !== null) return moreClaims(line, more, lines, isPart);
    const reader = readersOf(kind, lines).find((read) => read(line) !== undefined);
    const claim = reader?.(line);
    if (claim !== undefined) return [claim];
    if (kind === "html" && at === 0) return [{ kind: "title", said: `title ${line}`, text: line }];
    return [{ kind: "not-understood", said: `outline: ${line}` }];
  });
  const headings = claims.filter((claim) => claim.kind === "heading");
  const [first] = headings;
  if (first === undefined || isPart) return claims;
  const begins: Claim = {
    kind: "first-heading",
    said: `the first heading is in line ${first.line}`,
    line: first.line,
  };
  const isAll = !claims.some((claim) => claim.kind === "total");
  const { length } = headings;
  const all: Claim = {
    kind: "total",
    said: `${length} headings in all`,
    noun: "headings",
    count: length,
  };
  return [...claims, begins, ...(isAll ? [all] : [])];
}

function moreClaims(
  line: string,
  [, count = "", noun = ""]: RegExpExecArray,
  lines: readonly string[],
  isPart: boolean,
): readonly Claim[] {
  const known = ["headings", "diffs"];
  if (isPart || !known.includes(noun)) return [{ kind: "not-checked", said: line }];
  const shown = lines.filter((one) => LINE.test(one)).length;
  return [{ kind: "total", said: line, noun, count: shown + numberOf(count) }];
}

function readersOf(kind: string, lines: readonly string[]): readonly Reader[] {
  switch (kind) {
    case "json-document":
    case "json-lines":
    case "xml":
    case "yaml":
      return [readPlace];
    case "diff":
      return [readChanges, readChangedFile];
    case "code":
      return [readDefinition];
    case "html":
    case "markdown":
      return [readTags, readTable, readHeading];
    case "log":
      return LOG;
    default:
      if (lines.includes(HEADINGS)) return [readHeading];
      if (lines.some((line) => FIRST.test(line))) return LOG;
      return [readTotals, readLine];
  }
}

const PLACE = /^(?:(\d+): )?(\..*?)(?: \(([\d,]+)\))?: (.*)$/s;

function readPlace(line: string): Claim | undefined {
  const [, number, path = "", count, text = ""] = PLACE.exec(line) ?? [];
  const facts = factsOf(text);
  if (path === "" || facts === undefined) return undefined;
  return {
    kind: "place",
    said: line.replace(/^\d+: /, ""),
    path,
    facts,
    ...(number !== undefined && { line: Number(number) }),
    ...(count !== undefined && { count: numberOf(count) }),
  };
}

const CHANGES = new RegExp(String.raw`^(${COUNT}) diffs?, \+(${COUNT}) -(${COUNT})$`);

function readChanges(line: string): Claim | undefined {
  const [said, changes = "", added = "", removed = ""] = CHANGES.exec(line) ?? [];
  if (said === undefined) return undefined;
  return {
    kind: "changes",
    said,
    changes: numberOf(changes),
    added: numberOf(added),
    removed: numberOf(removed),
  };
}

function readChangedFile(line: string): Claim | undefined {
  const [said, number, path = "", added, removed] =
    /^(\d+): (.*) \(\+(\d+) -(\d+)\)$/s.exec(line) ?? [];
  if (said === undefined) return undefined;
  return {
    kind: "changed-file",
    said,
    line: Number(number),
    path,
    added: Number(added),
    removed: Number(removed),
  };
}

function readDefinition(line: string): Claim | undefined {
  const [said, number, text = ""] = /^(\d+): *(.*)$/s.exec(line) ?? [];
  return said === undefined ? undefined : { kind: "definition", said, line: Number(number), text };
}

const TAGS = /^elements: (.*)$/;

function readTags(line: string): Claim | undefined {
  const [said, counts = ""] = TAGS.exec(line) ?? [];
  return said === undefined ? undefined : { kind: "tags", said, counts: countsOf(counts) };
}

const TABLE = /^table at line (\d+), ([\d,]+) rows?: (.*)$/;

/** Without the last header where the line is cut. */
function readTable(line: string): Claim | undefined {
  const [said, number, rows = "", names = ""] = TABLE.exec(line) ?? [];
  if (said === undefined) return undefined;
  const headers = names.split(", ").slice(0, names.endsWith("…") ? -1 : undefined);
  return { kind: "table", said, line: Number(number), rows: numberOf(rows), headers };
}

/** `a 16, <h2> 3`. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const pairs = text === "" ? [] : text.split(/, (?=\S+ (?:at least )?\d)/);
  return new Map(
    pairs.map((pair) => [
      pair.slice(0, pair.lastIndexOf(" ")),
      numberOf(pair.slice(pair.lastIndexOf(" ") + 1)),
    ]),
  );
}

function readHeading(line: string): Claim | undefined {
  const [said, number, indent = "", text = ""] = LINE.exec(line) ?? [];
  if (said === undefined) return undefined;
  const [, mark = "", words = text] = /^(#{1,6}) (.*)$/s.exec(text) ?? [];
  const [, shown = words, least, lines] = /^(.*) \((at least )?(\d+)\)$/s.exec(words) ?? [];
  const place = { line: Number(number), depth: mark.length || indent.length / 2, text: shown };
  return {
    kind: "heading",
    said,
    ...place,
    ...(lines !== undefined && least === undefined && { lines: Number(lines) }),
  };
}

const FIRST = /^line (\d+): (.*)$/s;
const TIMES = new RegExp(
  String.raw`^(${COUNT}) lines have a time: first (.+) \(line (\d+)\), last (.+) \(line (\d+)\)$`,
);
const LEVEL = new RegExp(String.raw`([A-Za-z]+) (${COUNT}) \(first: line (\d+)\)`, "g");
const LOG: readonly Reader[] = [readLevels, readFirst, readTimes];

function readLevels(line: string): Claim | undefined {
  if (!/^levels(?: of [\d,]+ of [\d,]+ lines)?: /.test(line)) return undefined;
  const counts = [...line.matchAll(LEVEL)].map(
    ([, level = "", count = "", first]) => [level, [numberOf(count), Number(first)]] as const,
  );
  return { kind: "levels", said: line, counts: new Map(counts) };
}

function readFirst(line: string): Claim | undefined {
  const [said, number, text = ""] = FIRST.exec(line) ?? [];
  return said === undefined ? undefined : { kind: "line", said, line: Number(number), text };
}

function readTimes(line: string): Claim | undefined {
  const [said, count = "", first = "", firstLine, last = "", lastLine] = TIMES.exec(line) ?? [];
  if (said === undefined) return undefined;
  const lines = [Number(firstLine), Number(lastLine)] as const;
  return { kind: "times", said, count: numberOf(count), first, last, lines };
}

function readTotals(line: string): Claim | undefined {
  const isTold = /^the last \d+ of [\d,]+ lines with totals:$/.test(line);
  return isTold ? { kind: "not-checked", said: line } : undefined;
}

function readLine(line: string): Claim | undefined {
  const [said, number, , text = ""] = LINE.exec(line) ?? [];
  return said === undefined ? undefined : { kind: "line", said, line: Number(number), text };
}
