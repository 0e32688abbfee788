import { charactersIn, decodeText, unfinishedBytes } from "../../../util/text-encoding.js";
import type { StoredArtifact } from "../../types/artifact.js";
import {
  bytesForTokens,
  counted,
  fillBudget,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { StatedArguments } from "../shared/call-printer.js";
import { brokenNote, brokenPlaces } from "./broken-bytes.js";
import type { DrillInContext } from "../shared/context.js";
import { type ReadRange, resolveRange, UNIT_NAMES } from "./read-range.js";
import {
  ESCAPED_NOTE,
  escapeText,
  unescapeText,
  wholeEscapes,
} from "../shared/answer/shown-text.js";
import { grouped } from "../../../util/amounts.js";

/** Text from the start of a range, at least as much as an answer can hold unless it ends earlier. */
interface Page {
  readonly text: string;
  /** Where it has U+FFFD for bytes that are no UTF-8. */
  readonly broken: readonly number[];
  /** Whether the range ends where the text does. */
  readonly complete: boolean;
  /** Whether the stored body ends where the text does. */
  readonly atEnd: boolean;
}

/** UTF-16 length of the first `count` characters, or of all there are. */
function lengthOfCharacters(text: string, count: number): number {
  let length = 0;
  for (let left = count; left > 0 && length < text.length; left -= 1) {
    length += (text.codePointAt(length) ?? 0) > 0xffff ? 2 : 1;
  }
  return length;
}

/** UTF-16 length of the first `count` lines, or `undefined` when the text has not so many line ends. */
function lengthOfLines(text: string, count: number): number | undefined {
  let end = -1;
  for (let left = count; left > 0; left -= 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return undefined;
  }
  return end + 1;
}

function countOf(text: string): { readonly lineFeeds: number; readonly charactersAfter: number } {
  let lineFeeds = 0;
  let at = -1;
  for (let next = text.indexOf("\n"); next !== -1; next = text.indexOf("\n", next + 1)) {
    lineFeeds += 1;
    at = next;
  }
  return { lineFeeds, charactersAfter: charactersIn(text.slice(at + 1)) };
}

/** UTF-16 length of the range, or `undefined` when it goes on after the text. */
function lengthOfRange(text: string, range: ReadRange): number | undefined {
  if (range.last === undefined) return undefined;
  if (range.unit !== "character") return lengthOfLines(text, range.last - range.first + 1);
  const wanted = range.last - range.first;
  const length = lengthOfCharacters(text, wanted);
  return length < text.length || charactersIn(text) === wanted ? length : undefined;
}

async function readPage(
  context: DrillInContext,
  artifact: StoredArtifact,
  range: ReadRange,
): Promise<Page> {
  const end = Math.min(
    artifact.sizeBytes,
    range.startByte + bytesForTokens(context.limits.maxOutputTokens),
  );
  const bytes = await context.store.read(artifact, { start: range.startByte, end });
  const reachesEnd = end === artifact.sizeBytes;
  const whole = reachesEnd
    ? bytes
    : bytes.subarray(0, bytes.length - unfinishedBytes(bytes, artifact.encoding));
  const text = decodeText(whole, artifact.encoding);
  const length = lengthOfRange(text, range);
  return {
    text: text.slice(0, length),
    broken: brokenPlaces(whole, artifact.encoding),
    complete: reachesEnd || length !== undefined,
    atEnd: reachesEnd && (length ?? text.length) === text.length,
  };
}

/** The largest good length of at most `fits`: a line's end if there is one, and at least one character. */
function cutOf(
  { text, complete }: Page,
  unit: ReadRange["unit"],
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
  const { lineFeeds, charactersAfter } = countOf(body);
  if (unit === "character") {
    const end = isEnd ? ", the end" : "";
    return `Characters ${grouped(first)} to ${grouped(first + charactersIn(body))}${end}`;
  }
  const name = UNIT_NAMES[unit];
  const last = first + lineFeeds - (charactersAfter === 0 ? 1 : 0);
  const which =
    last > first ? `${name}s ${grouped(first)} to ${grouped(last)}` : `${name} ${grouped(first)}`;
  const from = skippedCharacters === 0 ? "" : `, from character ${grouped(skippedCharacters)}`;
  return `${which} of ${grouped(total ?? last)}${from}`;
}

/** Where to read on from the end of `body`, in the unit that was asked for. */
function nextPlace(range: ReadRange, body: string): StatedArguments {
  const { unit, first, last, skippedCharacters } = range;
  const { lineFeeds, charactersAfter } = countOf(body);
  if (unit === "character") return { start: first + charactersIn(body), end: last };
  return {
    [`start_${unit}`]: first + lineFeeds,
    start_character: (lineFeeds === 0 ? skippedCharacters : 0) + charactersAfter || undefined,
    [`end_${unit}`]: last,
  };
}

function hasEnd({ last }: ReadRange): boolean {
  return last !== undefined;
}

/** How much is left of the whole output behind `body`, for the end of the head; empty for a range with an end. */
function restOf(artifact: StoredArtifact, range: ReadRange, body: string): string {
  const { sizeBytes, tokens, encoding } = artifact;
  if (hasEnd(range)) return "";
  const shownBytes = encoding === "latin1" ? body.length : Buffer.byteLength(body);
  const left = (tokens * (sizeBytes - range.startByte - shownBytes)) / sizeBytes;
  return left < 100 ? "" : `, about ${grouped(Math.ceil(left / 100) * 100)} tokens are left`;
}

/** Where a range begins in the whole output, for tools that cannot be asked for its unit. */
interface WholePlace {
  /** Characters before it. */
  readonly character: number;
  /** Its line, from 1, and characters of this line before it. */
  readonly line: number;
  readonly inLine: number;
}

async function wholePlace(
  context: DrillInContext,
  artifact: StoredArtifact,
  { startByte }: ReadRange,
): Promise<WholePlace> {
  const index = context.indexOf(artifact);
  const character = await index.charactersBefore(startByte);
  const line = (await index.lineFeedsBefore(startByte)) + 1;
  const lineStart = (await index.lineStart(line)) ?? 0;
  return { character, line, inLine: character - (await index.charactersBefore(lineStart)) };
}

/**
 * The call that reads on from the end of `body`: in the unit that was asked for, or in another that the tool has. Where
 * that would lose the end of the range the call has brought it, and can again.
 */
function nextCall(
  { calls, names }: DrillInContext,
  artifact: StoredArtifact,
  range: ReadRange,
  { body, place }: { readonly body: string; readonly place: WholePlace | undefined },
): string {
  const { lineFeeds, charactersAfter } = countOf(body);
  const inLine = (lineFeeds === 0 ? (place?.inLine ?? 0) : 0) + charactersAfter;
  const call =
    calls.call("read", artifact, nextPlace(range, body), hasEnd(range)) ??
    (place &&
      (calls.call("read", artifact, { start: place.character + charactersIn(body) }) ??
        calls.call("read", artifact, {
          start_line: place.line + lineFeeds,
          start_character: inLine || undefined,
        })));
  if (call !== undefined) return `Next call: ${call}`;
  return `There is more, which ${names.read ?? "this tool"} cannot be asked for.`;
}

/**
 * Reads one page of a stored output. The answer is a line that says where it stands, the text as it is stored but for control characters, which are escaped, and bytes that are no UTF-8, which are
 * counted, and a line with the arguments of the next call; following those calls from the first to the last gives the whole text. A page
 * ends at a line's end if it can, and inside a line that is longer than the answer may be, but never inside a character.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function readPart(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
): Promise<PartialAnswer> {
  const { limits, measure, calls } = context;
  const limitTokens = limits.maxOutputTokens;
  if (artifact.sizeBytes === 0)
    return sentenceAnswer(measure, limitTokens, `${artifact.fileName} is empty.`, false);
  const { range, problem } = await resolveRange(context, artifact, args);
  if (range === undefined) return sentenceAnswer(measure, limitTokens, problem, true);
  const page = await readPage(context, artifact, range);
  const { complete, atEnd } = page;
  const { text: body, isEscaped } = escapeText(page.text);
  const stored = (length: number): string =>
    isEscaped ? unescapeText(body.slice(0, length)) : body.slice(0, length);
  const isAsked =
    hasEnd(range) || Object.keys(nextPlace(range, "")).every((name) => calls.has("read", name));
  const place = isAsked ? undefined : await wholePlace(context, artifact, range);
  const tailOf = (length: number): string => {
    if (length < body.length || !complete) {
      return nextCall(context, artifact, range, { body: stored(length), place });
    }
    return "";
  };
  const filled = await fillBudget(measure, limitTokens, {
    body,
    cut: (fits) => cutOf({ ...page, text: body }, range.unit, fits, isEscaped),
    frame: (length) => {
      const part = body.slice(0, length);
      const shown = stored(length);
      const broken = page.broken.filter((place) => place < shown.length).length;
      const isEnd = atEnd && length === body.length;
      const head =
        isEnd && range.startByte === 0
          ? `The whole output, ${counted(artifact.lineCount, "line")}`
          : headOf(range, shown, isEnd) + (isEnd ? "" : restOf(artifact, range, shown));
      const notes = [head, shown === part ? "" : ESCAPED_NOTE, brokenNote(broken)];
      const said = notes.filter((note) => note !== "");
      const first = said.length === 1 ? `${head}:` : said.join(". ");
      return [first, part, tailOf(length)].filter((text) => text !== "").join("\n");
    },
  });
  return { ...filled, failed: false };
}
