import { counted, grouped } from "../../util/amounts.js";
import { charactersIn } from "../../util/text-encoding.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";
import { roomInWindow } from "../decide/window-room.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { TokenMeasure } from "../measure/measure.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../measure/size-limit.js";
import type { StoredArtifact } from "../types/artifact.js";
import { OffloadError } from "../types/errors.js";
import type { ShownMedia } from "../types/media.js";
import type { RunningCall } from "../types/running-call.js";
import { escapeText } from "./shown-text.js";

/** What a drill-in tool returns to the model. */
export interface DrillInAnswer {
  readonly text: string;
  /** Whether the text reports a failure instead of data. */
  readonly failed: boolean;
  /** The artifact that was queried; `undefined` if none was found. */
  readonly artifactId: string | undefined;
  /** Further artifacts that were queried, without duplicates; absent if there are none. */
  readonly otherArtifactIds?: readonly string[];
  /** Tokens of `text`. */
  readonly tokens: number;
  /** Matching lines or results that were found, shown or not. Absent for reads and failures. */
  readonly foundCount?: number;
  /** Artifacts that the call stored, in order; absent if there are none. */
  readonly kept?: readonly StoredArtifact[];
  /** The file that the model is shown after the text, if any. */
  readonly shown?: ShownMedia;
}

export type PartialAnswer = Omit<DrillInAnswer, "artifactId" | "otherArtifactIds">;

type AnswerText = Pick<PartialAnswer, "text" | "tokens">;

export type AnswerMeasure = Pick<TokenMeasure, "count" | "fit">;

const MIN_TOKENS = 200;
/** Of an answer that says only what is wrong. */
export const MAX_FAULT_TOKENS = 150;
/** Such a body is first tried whole, which saves two counts. */
const LIKELY_CHARACTERS_PER_TOKEN = 3;
/** Upper bounds for a byte and for the text around the body. */
const MOST_TOKENS_PER_BYTE = 6;
const FRAME_TOKENS = 200;
const FETCH_FACTOR = 4;
const MOST_KEPT = 39 / 40;
export const NEXT_CALL = "Next call: ";

/** The tokens asked for, or the default, within this call's share of the context window. */
export function answerLimit(
  askedTokens: number | undefined,
  limits: Pick<DrillInLimits, "maxOutputTokens" | "maxRequestedTokens">,
  { conversation, turnCalls = 1 }: Pick<RunningCall, "conversation" | "turnCalls"> = {},
): number {
  const { maxOutputTokens, maxRequestedTokens } = limits;
  const least = Math.min(MIN_TOKENS, maxOutputTokens);
  const most = Math.max(maxOutputTokens, maxRequestedTokens);
  const wanted = Math.min(Math.max(askedTokens ?? maxOutputTokens, least), most);
  const windowTokens = conversation?.contextWindowTokens;
  const room = windowTokens && roomInWindow(conversation, windowTokens).tokens;
  const share = room === undefined ? wanted : Math.floor(room / Math.max(1, turnCalls));
  return Math.max(least, Math.min(wanted, share));
}

export function readLimits(
  { wasInline, sizeBytes }: StoredArtifact,
  limits: DrillInLimits,
): DrillInLimits {
  if (!wasInline) return limits;
  const wholeTokens = sizeBytes * MOST_TOKENS_PER_BYTE + FRAME_TOKENS;
  return { ...limits, maxOutputTokens: Math.max(limits.maxOutputTokens, wholeTokens) };
}

/** Becomes the failed answer of its call. */
export function refusal(sentence: string): OffloadError {
  return new OffloadError("INVALID_ARGUMENTS", sentence);
}

export function bytesForTokens(tokens: number): number {
  return Math.max(64, tokens * MAX_CHARACTERS_PER_TOKEN);
}

export function bytesToFetch({ maxOutputBytes, maxOutputTokens }: DrillInLimits): number {
  return Math.min(maxOutputBytes, FETCH_FACTOR * bytesForTokens(maxOutputTokens));
}

type Lines = readonly (string | false | undefined)[];

export function joined(lines: Lines, between = "\n"): string {
  return given(lines).join(between);
}

function given(lines: Lines): readonly string[] {
  return lines.flatMap((line) => line || []);
}

interface Page {
  readonly body: string;
  readonly ends: readonly number[];
  readonly least?: number;
  readonly frame: (length: number) => string;
}

/** The shortest one, if none fits. */
export async function fitted(
  measure: AnswerMeasure,
  limitTokens: number,
  { body, ends, least = 0, frame }: Page,
): Promise<AnswerText> {
  const framed = async (length: number): Promise<AnswerText> => {
    const text = frame(length);
    return { text, tokens: (await measure.count(text)).tokens };
  };
  const cut = (fits: number) =>
    Math.max(least, ends.findLast((end) => end <= fits) ?? wholeCharactersEnd(body, fits));
  if (body.length <= limitTokens * LIKELY_CHARACTERS_PER_TOKEN) {
    const whole = await framed(cut(body.length));
    if (whole.tokens <= limitTokens) return whole;
  }
  let room = limitTokens - (await framed(least)).tokens;
  for (;;) {
    const length = room > 0 ? cut(await measure.fit(body, room)) : least;
    const filled = await framed(length);
    if (filled.tokens <= limitTokens || length <= least) return filled;
    // Escapes may make a frame several times as long as its body.
    room = Math.floor(Math.min(room * MOST_KEPT, (room * limitTokens) / filled.tokens));
  }
}

function beginning(
  measure: AnswerMeasure,
  limitTokens: number,
  body: string,
  end = "",
): Promise<AnswerText> {
  const frame = (length: number) =>
    `${body.slice(0, length)}${length === body.length ? "" : "…"}${end}`;
  return fitted(measure, limitTokens, { body, ends: [], frame });
}

export async function sentenceAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  sentence: string,
  failed: boolean,
): Promise<PartialAnswer> {
  return { ...(await beginning(measure, limitTokens, escapeText(sentence).text)), failed };
}

interface ListAnswer {
  readonly head?: string;
  readonly items: readonly string[];
  readonly noun: string;
  readonly skip: number;
  readonly found: number;
  readonly least?: string;
  readonly isCounted?: boolean;
  readonly hits?: (items: number) => number;
  readonly less: string;
  readonly notes?: Lines;
  readonly next: (hits: number) => string | undefined;
}

export async function listAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  list: ListAnswer,
): Promise<PartialAnswer> {
  const { head, items, hits = (shown) => shown, less, notes = [], next } = list;
  const body = items.join("\n");
  let end = -1;
  const ends = items.map((item) => (end += item.length + 1));
  const [firstEnd = 0] = ends;
  const frame = (length: number): string => {
    if (length > 0 && length < firstEnd) {
      const shown = body.slice(0, length);
      const cut = `What is shown is cut after ${counted(charactersIn(shown), "character")}.`;
      const which = joined([whichOf(list, hits(1)), cut, less], " ");
      return joined([head, `${shown}…`, which, ...notes, next(hits(1))]);
    }
    const count = ends.filter((one) => one <= length).length;
    const which = joined([whichOf(list, hits(count)), count < items.length && less], " ");
    const rest = given([which, ...notes, next(hits(count))]);
    // An item may be empty.
    return [...given([head]), ...items.slice(0, count), ...rest].join("\n");
  };
  return { ...(await fitted(measure, limitTokens, { body, ends, frame })), failed: false };
}

function whichOf(
  { noun, skip, found, least = "", isCounted = false }: ListAnswer,
  shown: number,
): string {
  if (skip === 0 && shown === found)
    return isCounted ? "" : sentence(`${least}${counted(found, noun)}`);
  if (shown === 0 && skip < found) return `The next ${noun} does not fit.`;
  if (shown === 0) return least === "" ? `No ${noun} after the first ${grouped(skip)}.` : "";
  const [from, to] = [grouped(skip + 1), grouped(skip + shown)];
  return sentence(`${noun}s ${from} to ${to} of ${least}${grouped(found)}`);
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

/** Applied to every answer. The last line is kept if it takes at most half of the limit; a call is never cut. */
export async function withinLimit(
  measure: AnswerMeasure,
  limitTokens: number,
  answer: PartialAnswer,
): Promise<PartialAnswer> {
  if (answer.tokens <= limitTokens) return answer;
  const { text } = answer;
  const lastAt = text.lastIndexOf("\n");
  const last = text.slice(lastAt + 1);
  const isKept = lastAt !== -1 && (await measure.count(last)).tokens * 2 <= limitTokens;
  const body = isKept || last.startsWith(NEXT_CALL) ? text.slice(0, Math.max(0, lastAt)) : text;
  const end = isKept ? `\n${last}` : "";
  return { ...answer, ...(await beginning(measure, limitTokens, body, end)) };
}
