import { counted, grouped } from "../../util/amounts.js";
import { charactersIn, decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { StoredArtifact } from "../types/artifact.js";
import {
  bytesForTokens,
  fitted,
  joined,
  type PartialAnswer,
  refusal,
  sentenceAnswer,
} from "./answer.js";
import type { NextPlace } from "./calls.js";
import type { DrillInContext, Question } from "./context.js";
import { ESCAPED_NOTE, escapeText } from "./shown-text.js";

interface ReadRange {
  readonly by: (typeof UNITS)[number];
  readonly first: number;
  /** Inclusive for lines and records, exclusive for characters; `undefined` for the end. */
  readonly last: number | undefined;
  readonly skippedCharacters: number;
  readonly startByte: number;
  /** Exclusive; of a range longer than one answer, some byte behind that answer. */
  readonly endByte: () => Promise<number>;
  readonly total: number | undefined;
}

const UNITS = [
  { unit: "line", start: "start_line", end: "end_line", name: "Line" },
  { unit: "record", start: "start_record", end: "end_record", name: "Record" },
  { unit: "character", start: "start", end: "end", name: "Character" },
] as const;
const BROKEN_NOTE = "U+FFFD stands for bytes that are not UTF-8; they are stored unchanged.";

/** Rows may take several lines, and of several sets none has numbers. */
function hasNumberedRecords({ layout, recordCount, sets, lineCount }: StoredArtifact): boolean {
  const isOnePerLine = recordCount === undefined || recordCount === lineCount - 1;
  return sets === undefined && (layout === "records" || (layout === "rows" && isOnePerLine));
}

/** @throws {@link OffloadError} for a range that is not there. */
export async function resolveRange({ context, artifact, args }: Question): Promise<ReadRange> {
  const { sizeBytes, fileName, lineCount, layout, headerBytes } = artifact;
  const index = context.indexOf(artifact);
  const asked = UNITS.find((one) => args.number(one.start) ?? args.number(one.end));
  // A tool of another design may know only characters.
  const by = asked ?? UNITS[context.calls.has("read", "start_line") ? 0 : 2];
  const { unit, name } = by;
  if (unit === "record" && !hasNumberedRecords(artifact))
    throw refusal(`${fileName} does not have one record per line. Read it by lines.`);
  const isByCharacters = unit === "character";
  const hasLineBefore = unit === "record" && (layout === "rows" || headerBytes > 0);
  const linesBefore = hasLineBefore ? 1 : 0;
  const countAll = async () =>
    isByCharacters ? (await index.before(sizeBytes)).characters : lineCount - linesBefore;
  const base = isByCharacters ? 0 : 1;
  const [start, end] = [args.number(by.start), args.number(by.end)];
  const fromStart = async (given: number) =>
    given >= 0 ? given : (await countAll()) + given + base;
  const first = Math.max(base, await fromStart(start ?? base));
  const last = end === undefined ? undefined : await fromStart(end);
  if (last !== undefined && last < first)
    throw refusal(`${name}s ${start ?? base} to ${end} do not exist: the end is before the start.`);
  const byteOf = (place: number): Promise<number | undefined> =>
    isByCharacters ? index.characterStart(place) : index.lineStart(place + linesBefore);
  const startByte = await byteOf(first);
  if (startByte === undefined || startByte === sizeBytes)
    throw refusal(
      `${name} ${first} is past the end: ${fileName} has ${counted(await countAll(), unit)}.`,
    );
  // The rest of a long range does not have to be counted.
  const most = first + bytesForTokens(context.limits.maxOutputTokens);
  const endByte = async () =>
    (last === undefined ? undefined : await byteOf(Math.min(last, most) + base)) ?? sizeBytes;
  const total = isByCharacters ? undefined : await countAll();
  const skippedCharacters = isByCharacters ? 0 : (args.count("start_character") ?? 0);
  const range = { by, first, last, skippedCharacters, startByte, endByte, total };
  if (skippedCharacters === 0) return range;
  const before = (await index.before(startByte)).characters;
  const inLine = await index.characterStart(before + skippedCharacters);
  const lineEnd = (await byteOf(first + 1)) ?? sizeBytes;
  if (inLine !== undefined && inLine < lineEnd) return { ...range, startByte: inLine };
  throw refusal(`Character ${skippedCharacters} is past the end of ${unit} ${first}.`);
}

interface Page {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

async function readPage(
  { store, limits }: DrillInContext,
  artifact: StoredArtifact,
  startByte: number,
  endByte: number,
): Promise<Page> {
  const end = Math.min(endByte, startByte + bytesForTokens(limits.maxOutputTokens));
  const read = await store.read(artifact, { start: startByte, end });
  const isWhole = end === endByte;
  const bytes = isWhole ? read : read.subarray(0, read.length - unfinishedBytes(read));
  return { text: decodeText(bytes), bytes, isWhole };
}

function endsOf({ text, isWhole }: Page, { by }: ReadRange): readonly number[] {
  const ends: number[] = [];
  if (by.unit !== "character") for (const { index } of text.matchAll(/\n/g)) ends.push(index + 1);
  if (isWhole && ends.at(-1) !== text.length) ends.push(text.length);
  return ends;
}

function placeOf(
  { by, first, last, skippedCharacters, total }: ReadRange,
  part: string,
  isEnd: boolean,
): {
  readonly head: string;
  readonly next: NextPlace;
} {
  const { unit, start, end, name } = by;
  if (unit === "character") {
    const to = first + charactersIn(part);
    const head = `${name}s ${grouped(first)} to ${grouped(to)}${isEnd ? ", the end" : ""}`;
    return { head, next: { [start]: to, [end]: last } };
  }
  const lines = part.split("\n");
  const charactersAfter = charactersIn(lines.at(-1) ?? "");
  const next = first + lines.length - 1;
  const to = charactersAfter === 0 ? next - 1 : next;
  const which =
    to > first ? `${name}s ${grouped(first)} to ${grouped(to)}` : `${name} ${grouped(first)}`;
  const from = skippedCharacters === 0 ? "" : `, from character ${grouped(skippedCharacters)}`;
  const character = (next === first ? skippedCharacters : 0) + charactersAfter;
  return {
    head: `${which} of ${grouped(total ?? to)}${from}`,
    next: { [start]: next, start_character: character || undefined, [end]: last },
  };
}

function isBroken(part: string, bytes: Uint8Array): boolean {
  if (!part.includes("\ufffd")) return false;
  const own = Buffer.from(part);
  return !own.equals(bytes.subarray(0, own.length));
}

/**
 * Following the next calls gives the whole text. A page ends at a line end if possible, never inside a character.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function readPart(question: Question): Promise<PartialAnswer> {
  const { context, artifact } = question;
  const { limits, measure } = context;
  const limitTokens = limits.maxOutputTokens;
  if (artifact.sizeBytes === 0)
    return sentenceAnswer(measure, limitTokens, `${artifact.fileName} is empty.`, false);
  const range = await resolveRange(question);
  const endByte = await range.endByte();
  const page = await readPage(context, artifact, range.startByte, endByte);
  const { text: body, bytes, isWhole } = page;
  const frame = (length: number): string => {
    const part = body.slice(0, length);
    const { text, isEscaped } = escapeText(part);
    const hasMore = length < body.length || !isWhole;
    const isEnd = !hasMore && endByte === artifact.sizeBytes;
    const place = placeOf(range, part, isEnd);
    const what = artifact.wasInline && artifact.tags?.["shortened"] ? "shortened result" : "output";
    const whole = `The whole ${what}, ${counted(artifact.lineCount, "line")}`;
    const head = isEnd && range.startByte === 0 ? whole : place.head;
    const notes = joined([isEscaped && ESCAPED_NOTE, isBroken(part, bytes) && BROKEN_NOTE], " ");
    const beginning = notes === "" ? `${head}:` : `${head}. ${notes}`;
    return joined([beginning, text, hasMore && question.next(place.next)]);
  };
  const least = (body.codePointAt(0) ?? 0) > 0xffff ? 2 : Math.min(1, body.length);
  const filled = await fitted(measure, limitTokens, {
    body,
    ends: endsOf(page, range),
    least,
    frame,
  });
  return { ...filled, failed: false };
}
