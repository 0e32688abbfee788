import { counted, grouped } from "../../util/amounts.js";
import { charactersIn, decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { StoredArtifact } from "../types/artifact.js";
import {
  bytesForTokens,
  fillBudget,
  joined,
  type PartialAnswer,
  sentenceAnswer,
} from "./answer.js";
import type { StatedArguments } from "./tools.js";
import type { DrillInContext, Question } from "./context.js";
import { linesOfSets } from "./sets.js";
import { ESCAPED_NOTE, escapeText, unescapeText, wholeEscapes } from "./shown-text.js";

type ReadUnit = "line" | "record" | "character";

/** The part that was asked for, with its first byte; the end is found while reading. */
interface ReadRange {
  readonly unit: ReadUnit;
  /** Line or record, counted from 1; character, counted from 0. */
  readonly first: number;
  /** Last line or record, inclusive; last character, exclusive; `undefined` for the end of the body. */
  readonly last: number | undefined;
  /** Characters skipped in the first line or record. */
  readonly skippedCharacters: number;
  readonly startByte: number;
  /** Lines or records there are; `undefined` for characters. */
  readonly total: number | undefined;
}

/** Either the range or the sentence that says why there is none. */
type RangeResult =
  | { readonly range: ReadRange; readonly problem?: undefined }
  | { readonly range?: undefined; readonly problem: string };

const ARGUMENTS: Readonly<Record<ReadUnit, readonly [string, string]>> = {
  line: ["start_line", "end_line"],
  record: ["start_record", "end_record"],
  character: ["start", "end"],
};
const UNITS: readonly ReadUnit[] = ["line", "record", "character"];

/** At the beginning of a sentence. */
const UNIT_NAMES: Readonly<Record<ReadUnit, string>> = {
  line: "Line",
  record: "Record",
  character: "Character",
};
const BROKEN_NOTE = "U+FFFD stands for bytes that are no UTF-8; they are stored as they came.";

/** Lines before the first record. */
function linesBeforeRecords({ layout, headerBytes }: StoredArtifact): number {
  return layout === "rows" || headerBytes > 0 ? 1 : 0;
}

/** Why records cannot be read by number. */
function recordProblem(artifact: StoredArtifact): string | undefined {
  const { fileName, layout, recordCount, sets, lineCount } = artifact;
  if (sets !== undefined) {
    const lines = linesOfSets(artifact);
    return `${fileName} has several sets, so its records have no numbers of their own. Read it by lines${lines && `: ${lines}`}.`;
  }
  if (layout !== "records" && layout !== "rows")
    return `${fileName} has no records. Read it by lines.`;
  const isOnePerLine = recordCount === undefined || recordCount === lineCount - 1;
  return layout === "records" || isOnePerLine
    ? undefined
    : `Some rows of ${fileName} take more than one line, or blank lines follow the last, so they cannot be read by number. Read it by lines.`;
}

/** Finds the part that the arguments ask for. Positive positions are found without reading to the end. */
export async function resolveRange({
  context,
  artifact,
  args,
}: Pick<Question, "context" | "artifact" | "args">): Promise<RangeResult> {
  const { sizeBytes, fileName, lineCount } = artifact;
  const index = context.indexOf(artifact);
  const asked = UNITS.filter((unit) => ARGUMENTS[unit].some((name) => args.number(name)));
  if (asked.length > 1)
    return { problem: "Pass lines, records or characters, not several of them in one call." };
  // A tool of another design may know characters alone.
  const [unit = context.calls.has("read", "start_line") ? "line" : "character"] = asked;
  const wrong = unit === "record" ? recordProblem(artifact) : undefined;
  if (wrong !== undefined) return { problem: wrong };
  const isByCharacters = unit === "character";
  const linesBefore = unit === "record" ? linesBeforeRecords(artifact) : 0;
  const countAll = async (): Promise<number> =>
    isByCharacters ? (await index.before(sizeBytes)).characters : lineCount - linesBefore;
  const base = isByCharacters ? 0 : 1;
  const fromStart = async (given: number | undefined): Promise<number | undefined> =>
    given === undefined || given >= 0 ? given : (await countAll()) + given + base;
  const [start, end] = ARGUMENTS[unit].map((name) => args.number(name));
  const first = Math.max(base, (await fromStart(start)) ?? base);
  const last = await fromStart(end);
  if (last !== undefined && last < first)
    return {
      problem: `${UNIT_NAMES[unit]}s ${start ?? base} to ${end} are none: the end is before the start.`,
    };
  const startByte = isByCharacters
    ? await index.characterStart(first)
    : await index.lineStart(first + linesBefore);
  const pastEnd = (place: number, what: string, all: number, of: ReadUnit): RangeResult => ({
    problem: `${UNIT_NAMES[of]} ${place} is past the end: ${what} has ${counted(all, of)}.`,
  });
  if (startByte === undefined || startByte === sizeBytes)
    return pastEnd(first, fileName, await countAll(), unit);
  const total = isByCharacters ? undefined : await countAll();
  const skippedCharacters = isByCharacters ? 0 : (args.count("start_character") ?? 0);
  const range = { unit, first, last, skippedCharacters, startByte, total };
  if (skippedCharacters === 0) return { range };
  const before = (await index.before(startByte)).characters;
  const inLine = await index.characterStart(before + skippedCharacters);
  const lineEnd = (await index.lineStart(first + linesBefore + 1)) ?? sizeBytes;
  if (inLine !== undefined && inLine < lineEnd) return { range: { ...range, startByte: inLine } };
  const length = (await index.before(lineEnd)).characters - before;
  return pastEnd(skippedCharacters, `the ${unit}`, length, "character");
}

/** Text from the start of a range, at least as much as an answer can hold unless it ends earlier. */
interface Page {
  readonly text: string;
  /** What it was decoded from, and more. */
  readonly bytes: Uint8Array;
  /** Whether the range ends where the text does. */
  readonly complete: boolean;
  /** Whether the stored body ends where the text does. */
  readonly atEnd: boolean;
}

/** UTF-16 length of the first `count` characters, or of all there are. */
function lengthOfCharacters(text: string, count: number): number {
  let length = 0;
  for (let left = count; left > 0 && length < text.length; left -= 1)
    length += (text.codePointAt(length) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

/** UTF-16 length of the first `count` lines, or `undefined` when the text has not so many line ends. */
function lengthOfLines(text: string, count: number): number | undefined {
  let end = 0;
  for (let left = count; left > 0; left -= 1) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) return undefined;
  }
  return end;
}

/** UTF-16 length of the range, or `undefined` when it goes on after the text. */
function lengthOfRange(text: string, { unit, first, last }: ReadRange): number | undefined {
  if (last === undefined) return undefined;
  if (unit !== "character") return lengthOfLines(text, last - first + 1);
  const length = lengthOfCharacters(text, last - first);
  return length < text.length || charactersIn(text) === last - first ? length : undefined;
}

function countOf(text: string): { readonly lineFeeds: number; readonly charactersAfter: number } {
  const lines = text.split("\n");
  return { lineFeeds: lines.length - 1, charactersAfter: charactersIn(lines.at(-1) ?? "") };
}

async function readPage(
  { store, limits }: DrillInContext,
  artifact: StoredArtifact,
  range: ReadRange,
): Promise<Page> {
  const { sizeBytes } = artifact;
  const start = range.startByte;
  const end = Math.min(sizeBytes, start + bytesForTokens(limits.maxOutputTokens));
  const read = await store.read(artifact, { start, end });
  const isLast = end === sizeBytes;
  const bytes = isLast ? read : read.subarray(0, read.length - unfinishedBytes(read));
  const text = decodeText(bytes);
  const length = lengthOfRange(text, range);
  return {
    text: text.slice(0, length),
    bytes,
    complete: isLast || length !== undefined,
    atEnd: isLast && (length ?? text.length) === text.length,
  };
}

/** Whether a text at the beginning of bytes has U+FFFD for some that are no UTF-8. */
function isBroken(text: string, bytes: Uint8Array): boolean {
  if (!text.includes("\ufffd")) return false;
  const own = Buffer.from(text);
  return !own.equals(bytes.subarray(0, own.length));
}

/** The largest good length of at most `fits`: a line's end if there is one, and at least one character. */
function cutOf(
  text: string,
  { complete }: Page,
  unit: ReadUnit,
  fits: number,
  isEscaped: boolean,
): number {
  if (complete && fits >= text.length) return text.length;
  const lineEnd = unit === "character" || fits === 0 ? 0 : text.lastIndexOf("\n", fits - 1) + 1;
  if (lineEnd > 0) return lineEnd;
  const first = lengthOfCharacters(text, 1);
  if (!isEscaped) return Math.max(Math.min(fits, text.length), first);
  const firstEscape = text.startsWith("\\u{") ? text.indexOf("}") + 1 : first;
  return Math.max(wholeEscapes(text, Math.min(fits, text.length)), firstEscape);
}

function headOf(range: ReadRange, body: string, isEnd: boolean): string {
  const { unit, first, skippedCharacters, total } = range;
  if (unit === "character") {
    const end = isEnd ? ", the end" : "";
    return `Characters ${grouped(first)} to ${grouped(first + charactersIn(body))}${end}`;
  }
  const { lineFeeds, charactersAfter } = countOf(body);
  const name = UNIT_NAMES[unit];
  const last = first + lineFeeds - (charactersAfter === 0 ? 1 : 0);
  const which =
    last > first ? `${name}s ${grouped(first)} to ${grouped(last)}` : `${name} ${grouped(first)}`;
  const from = skippedCharacters === 0 ? "" : `, from character ${grouped(skippedCharacters)}`;
  return `${which} of ${grouped(total ?? last)}${from}`;
}

/** How much is left of the whole output behind `body`, for the end of the head; empty for a range with an end. */
function restOf(artifact: StoredArtifact, { last, startByte }: ReadRange, body: string): string {
  const { sizeBytes, tokens } = artifact;
  const left = (tokens * (sizeBytes - startByte - Buffer.byteLength(body))) / sizeBytes;
  if (last !== undefined || left < 100) return "";
  return `, about ${grouped(Math.ceil(left / 100) * 100)} tokens are left`;
}

/** Where to read on from the end of `body`, in the unit that was asked for. */
function nextPlace(range: ReadRange, body: string): StatedArguments {
  const { unit, first, last, skippedCharacters } = range;
  if (unit === "character") return { start: first + charactersIn(body), end: last };
  const { lineFeeds, charactersAfter } = countOf(body);
  return {
    [`start_${unit}`]: first + lineFeeds,
    start_character: (lineFeeds === 0 ? skippedCharacters : 0) + charactersAfter || undefined,
    [`end_${unit}`]: last,
  };
}

/**
 * Reads one page of a stored output. The answer is a line that says where it stands, the text as it is stored but for control
 * characters, which are escaped, and a line with the arguments of the next call; following those calls from the first to the last
 * gives the whole text. A page ends at a line's end if it can, and inside a line that is longer than the answer may be, but never
 * inside a character.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function readPart(question: Question): Promise<PartialAnswer> {
  const { context, artifact } = question;
  const { limits, measure, calls, names } = context;
  const limitTokens = limits.maxOutputTokens;
  if (artifact.sizeBytes === 0)
    return sentenceAnswer(measure, limitTokens, `${artifact.fileName} is empty.`, false);
  const { range, problem } = await resolveRange(question);
  if (range === undefined) return question.refuse(problem);
  const page = await readPage(context, artifact, range);
  const { text: body, isEscaped } = escapeText(page.text);
  const filled = await fillBudget(measure, limitTokens, {
    body,
    cut: (fits) => cutOf(body, page, range.unit, fits, isEscaped),
    frame: (length) => {
      const part = body.slice(0, length);
      const stored = isEscaped ? unescapeText(part) : part;
      const isEnd = page.atEnd && length === body.length;
      const head =
        isEnd && range.startByte === 0
          ? `The whole output, ${counted(artifact.lineCount, "line")}`
          : headOf(range, stored, isEnd) + (isEnd ? "" : restOf(artifact, range, stored));
      const notes = joined(
        [stored !== part && ESCAPED_NOTE, isBroken(stored, page.bytes) && BROKEN_NOTE],
        " ",
      );
      const hasMore = length < body.length || !page.complete;
      // What a call has brought, it can bring again.
      const isBrought = range.last !== undefined;
      const next = hasMore
        ? calls.call("read", artifact, nextPlace(range, stored), isBrought)
        : undefined;
      return joined([
        notes === "" ? `${head}:` : `${head}. ${notes}`,
        part,
        next && `Next call: ${next}`,
        hasMore &&
          !next &&
          `There is more, which ${names.read ?? "this tool"} cannot be asked for.`,
      ]);
    },
  });
  return { ...filled, failed: false };
}
