import { wholeCharactersEnd } from "../../util/safe-text.js";
import { roomInWindow } from "../decide/window-room.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { TokenMeasure } from "../measure/measure.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../measure/size-limit.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ShownMedia } from "../types/media.js";
import type { RunningCall } from "../types/running-call.js";
import { escapeText } from "./shown-text.js";

/** What a drill-in tool hands to the model. */
export interface DrillInAnswer {
  readonly text: string;
  /** Whether the text says what went wrong instead of giving data. */
  readonly failed: boolean;
  /** The artifact that was drilled into; `undefined` when none was found. */
  readonly artifactId: string | undefined;
  /** Artifacts that were drilled into beside it, each once; absent without any. */
  readonly otherArtifactIds?: readonly string[];
  /** Tokens of `text`. */
  readonly tokens: number;
  /**
   * Matching lines of a search, results of a filter: those that were found, shown or not. Absent for
   * reading and for what failed.
   */
  readonly foundCount?: number;
  /** What the call has stored, in order; absent without any. */
  readonly kept?: readonly StoredArtifact[];
  /** The file that the model is shown behind the text; absent without one. */
  readonly shown?: ShownMedia;
}

/** An answer before it is told which artifact it is about. */
export type PartialAnswer = Omit<DrillInAnswer, "artifactId" | "otherArtifactIds">;

export type AnswerMeasure = Pick<TokenMeasure, "count" | "fit">;

/** An answer of fewer tokens has no room for what it says beside the data. */
const MIN_TOKENS = 200;
/** Room taken back beyond the excess, because tokens merge otherwise where two texts meet. */
const EXTRA_TOKENS = 4;
/** A body of at most so many characters for each token is tried whole at first, which saves two counts. */
const LIKELY_CHARACTERS_PER_TOKEN = 3;
/** No byte is more than so many tokens as it is shown, escaped or not; and what stands around the text. */
const MOST_TOKENS_PER_BYTE = 6;
const FRAME_TOKENS = 200;
/** How a call begins that an answer names to go on; it ends with its line. */
const CALL = /(?:^|\s)(?:Next call|For th[a-z ]{1,40}): /;
const NO_ROOM_FOR_CALL = "The next call has no room here: ask for less, or for a longer answer.";

/** How long one answer may be. */
export interface AnswerLimit {
  readonly tokens: number;
  /** What the call asked for; `undefined` when it asked for no length. */
  readonly askedTokens: number | undefined;
}

/**
 * The length of an answer: what was asked for up to what may be asked for, and the usual one otherwise. Never more
 * than the context window has left, where it is known, shared with the other drill-ins of the turn.
 */
export function answerLimit(
  askedTokens: number | undefined,
  limits: Pick<DrillInLimits, "maxOutputTokens" | "maxRequestedTokens">,
  { conversation, turnCalls = 1 }: Pick<RunningCall, "conversation" | "turnCalls"> = {},
): AnswerLimit {
  const { maxOutputTokens, maxRequestedTokens } = limits;
  const least = Math.min(MIN_TOKENS, maxOutputTokens);
  const most = Math.max(maxOutputTokens, maxRequestedTokens);
  const wanted = Math.min(Math.max(askedTokens ?? maxOutputTokens, least), most);
  const windowTokens = conversation?.contextWindowTokens;
  const room = windowTokens && roomInWindow(conversation, windowTokens).tokens?.limitTokens;
  const share = room === undefined ? wanted : Math.floor(room / Math.max(1, turnCalls));
  return { tokens: Math.max(least, Math.min(wanted, share)), askedTokens };
}

/** The limits of reading an output: one that stood whole in a conversation before is read whole, at its size. */
export function readLimits(
  { wasInline, sizeBytes }: Pick<StoredArtifact, "wasInline" | "sizeBytes">,
  limits: DrillInLimits,
): DrillInLimits {
  if (wasInline !== true) return limits;
  const wholeTokens = sizeBytes * MOST_TOKENS_PER_BYTE + FRAME_TOKENS;
  return { ...limits, maxOutputTokens: Math.max(limits.maxOutputTokens, wholeTokens) };
}

/** Bytes of data that are worth fetching for an answer of so many tokens. */
export function bytesForTokens(tokens: number): number {
  return Math.max(64, tokens * MAX_CHARACTERS_PER_TOKEN);
}

/** Lines of text without those that are empty. */
export function joined(lines: readonly (string | false | undefined)[], between = "\n"): string {
  return lines.filter(Boolean).join(between);
}

/** A text that can end at several places, and what stands around it for each of them. */
interface Fillable {
  readonly body: string;
  /** The largest good length of at most `fits` UTF-16 units; may be more than `fits` when nothing smaller makes sense. */
  readonly cut: (fits: number) => number;
  /** The whole answer when the body ends at `length`. */
  readonly frame: (length: number) => string;
}

/**
 * The longest answer of at most `limitTokens`, what stands around the body included. When not even
 * the shortest cut fits, that one is the answer: a limit below its note cannot be kept.
 */
export async function fillBudget(
  measure: AnswerMeasure,
  limitTokens: number,
  { body, cut, frame }: Fillable,
): Promise<Pick<PartialAnswer, "text" | "tokens">> {
  const framed = async (length: number): Promise<Pick<PartialAnswer, "text" | "tokens">> => {
    const text = frame(length);
    return { text, tokens: (await measure.count(text)).tokens };
  };
  const isLikely = body.length <= limitTokens * LIKELY_CHARACTERS_PER_TOKEN;
  if (isLikely && cut(body.length) === body.length) {
    const whole = await framed(body.length);
    if (whole.tokens <= limitTokens) return whole;
  }
  const shortest = cut(0);
  let room = limitTokens - (await framed(shortest)).tokens + EXTRA_TOKENS;
  for (;;) {
    const length = room > 0 ? cut(await measure.fit(body, room)) : shortest;
    const filled = await framed(length);
    if (filled.tokens <= limitTokens || length <= shortest) return filled;
    room -= Math.max(filled.tokens - limitTokens + EXTRA_TOKENS, Math.ceil(room / 10));
  }
}

/** As much of a text as fits, with `end` behind it; a call in it is whole or not there. */
function beginning(
  measure: AnswerMeasure,
  limitTokens: number,
  body: string,
  end = "",
): Promise<Pick<PartialAnswer, "text" | "tokens">> {
  return fillBudget(measure, limitTokens, {
    body,
    cut: (fits) => wholeCallsEnd(body, wholeCharactersEnd(body, fits)),
    frame: (length) => `${body.slice(0, length)}${length === body.length ? "" : "…"}${end}`,
  });
}

/** A sentence as an answer, cut to the limit. What it quotes may be anybody's: control characters are shown as escapes. */
export async function sentenceAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  sentence: string,
  failed: boolean,
): Promise<PartialAnswer> {
  return { ...(await beginning(measure, limitTokens, escapeText(sentence).text)), failed };
}

/** A list that is shown as far as it fits, whole items only, with a last line that says so. */
export interface ListAnswer {
  /** Stands before the items, without its line end; none when empty. */
  readonly head: string;
  readonly items: readonly string[];
  /** The last line when `shown` of the items stand before it; none when empty. */
  readonly note: (shown: number) => string;
  /** The last line when only a part of the first item fits. */
  readonly partNote: (shownCharacters: number, allCharacters: number) => string;
}

function line(text: string): readonly string[] {
  return text === "" ? [] : [text];
}

/** Shows as many whole items as the limit allows; of the first item, when it is too large, the beginning. */
export async function listAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  { head, items, note, partNote }: ListAnswer,
): Promise<PartialAnswer> {
  let end = -1;
  const ends = items.map((item) => (end += item.length + 1));
  const countUpTo = (length: number): number => {
    const next = ends.findIndex((itemEnd) => itemEnd > length);
    return next === -1 ? ends.length : next;
  };
  const frame = (length: number): string => {
    const shown = countUpTo(length);
    return [...line(head), ...items.slice(0, shown), ...line(note(shown))].join("\n");
  };
  const whole = await fillBudget(measure, limitTokens, {
    body: items.join("\n"),
    cut: (fits) => Math.max(0, ends[countUpTo(fits) - 1] ?? 0),
    frame,
  });
  const [first = ""] = items;
  // Nothing but the note: the first item alone is too large.
  if (first === "" || whole.text !== frame(0)) return { ...whole, failed: false };
  const partOf = (length: number): string =>
    [...line(head), `${first.slice(0, length)}…`, partNote(length, first.length)].join("\n");
  const part = await fillBudget(measure, limitTokens, {
    body: first,
    cut: (fits) => wholeCharactersEnd(first, fits),
    frame: partOf,
  });
  if (part.text !== partOf(first.length)) return { ...part, failed: false };
  // All of the item fits, and its note does not.
  const text = frame(first.length);
  const { tokens } = await measure.count(text);
  return await withinLimit(measure, limitTokens, { text, tokens, failed: false });
}

/**
 * The gate that every answer passes last: whatever it is made of, field names, arguments or notes, it stays
 * within its limit. Its last line, which says how to go on, is kept as long as half of the limit holds it; a call is
 * whole or not there.
 */
export async function withinLimit(
  measure: AnswerMeasure,
  limitTokens: number,
  answer: PartialAnswer,
): Promise<PartialAnswer> {
  if (answer.tokens <= limitTokens) return answer;
  const { text } = answer;
  const lastAt = text.lastIndexOf("\n");
  const last = text.slice(lastAt + 1);
  for (const line of CALL.test(last) ? [last, NO_ROOM_FOR_CALL] : [last]) {
    if (lastAt !== -1 && (await measure.count(line)).tokens * 2 <= limitTokens)
      return {
        ...answer,
        ...(await beginning(measure, limitTokens, text.slice(0, lastAt), `\n${line}`)),
      };
  }
  return { ...answer, ...(await beginning(measure, limitTokens, text)) };
}

/** Length of the longest prefix of at most `length` UTF-16 units that ends inside no call, nor with one, where more of the text follows. */
function wholeCallsEnd(text: string, length: number): number {
  if (length >= text.length) return length;
  const start = length === 0 ? 0 : text.lastIndexOf("\n", length - 1) + 1;
  const next = text.indexOf("\n", length);
  const call = CALL.exec(text.slice(start, next === -1 ? text.length : next));
  return call === null ? length : Math.min(length, start + call.index);
}
