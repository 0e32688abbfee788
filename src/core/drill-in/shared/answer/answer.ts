import type { TokenMeasure } from "../../../measure/measure.js";
import type { ShownMedia } from "../../../types/media.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../../../measure/size-limit.js";
import { wholeCharactersEnd } from "../../../../util/safe-text.js";
import { escapeText } from "./shown-text.js";
import { holdsCall, NO_ROOM_FOR_CALL, wholeCallsEnd } from "./whole-calls.js";
import { grouped } from "../../../../util/amounts.js";

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

/** Room taken back beyond the excess, because tokens merge otherwise where two texts meet. */
const EXTRA_TOKENS = 4;
/** A body of at most so many characters for each token is tried whole at first, which saves two counts. */
const LIKELY_CHARACTERS_PER_TOKEN = 3;

/** A text within its limit. */
interface Filled {
  readonly text: string;
  readonly tokens: number;
}

/** A text that can end at several places, and what stands around it for each of them. */
export interface Fillable {
  readonly body: string;
  /** The largest good length of at most `fits` UTF-16 units; may be more than `fits` when nothing smaller makes sense. */
  readonly cut: (fits: number) => number;
  /** The whole answer when the body ends at `length`. */
  readonly frame: (length: number) => string;
}

/** Bytes of data that are worth fetching for an answer of so many tokens. */
export function bytesForTokens(tokens: number): number {
  return Math.max(64, tokens * MAX_CHARACTERS_PER_TOKEN);
}

/** `1 line`, `14,020 lines`. */
export function counted(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/**
 * The longest answer of at most `limitTokens`, what stands around the body included. When not even
 * the shortest cut fits, that one is the answer: a limit below its note cannot be kept.
 */
export async function fillBudget(
  measure: AnswerMeasure,
  limitTokens: number,
  { body, cut, frame }: Fillable,
): Promise<Filled> {
  if (
    body.length <= limitTokens * LIKELY_CHARACTERS_PER_TOKEN &&
    cut(body.length) === body.length
  ) {
    const text = frame(body.length);
    const { tokens } = await measure.count(text);
    if (tokens <= limitTokens) return { text, tokens };
  }
  const shortest = cut(0);
  let room = limitTokens - (await measure.count(frame(shortest))).tokens + EXTRA_TOKENS;
  for (;;) {
    const length = room > 0 ? cut(await measure.fit(body, room)) : shortest;
    const text = frame(length);
    const { tokens } = await measure.count(text);
    if (tokens <= limitTokens || length <= shortest) return { text, tokens };
    room -= Math.max(tokens - limitTokens + EXTRA_TOKENS, Math.ceil(room / 10));
  }
}

/** A sentence as an answer, cut to the limit. What it quotes may be anybody's: control characters are shown as escapes. */
export async function sentenceAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  sentence: string,
  failed: boolean,
): Promise<PartialAnswer> {
  const { text } = escapeText(sentence);
  return { ...(await beginning(measure, limitTokens, text)), failed };
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

/** Shows as many whole items as the limit allows; of the first item, when it is too large, the beginning. */
export function listAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  list: ListAnswer,
): Promise<PartialAnswer> {
  return fillList(measure, limitTokens, list, (shown) => shown);
}

/** The same from the end: the last items are shown; of the last one, when it is too large, the beginning. */
export function endAnswer(
  measure: AnswerMeasure,
  limitTokens: number,
  list: ListAnswer,
): Promise<PartialAnswer> {
  const fromEnd = { ...list, items: list.items.toReversed() };
  return fillList(measure, limitTokens, fromEnd, (shown) => shown.toReversed());
}

async function fillList(
  measure: AnswerMeasure,
  limitTokens: number,
  { head, items, note, partNote }: ListAnswer,
  inOrder: (shown: readonly string[]) => readonly string[],
): Promise<PartialAnswer> {
  const start = head === "" ? "" : `${head}\n`;
  const ends: number[] = [];
  let end = -1;
  for (const item of items) {
    end += item.length + 1;
    ends.push(end);
  }
  const body = items.join("\n");
  const countUpTo = (length: number): number => {
    const next = ends.findIndex((itemEnd) => itemEnd > length);
    return next === -1 ? ends.length : next;
  };
  const frame = (length: number): string => {
    const shown = countUpTo(length);
    const end = note(shown);
    const shownItems = inOrder(items.slice(0, shown));
    const below = [...shownItems, ...(end === "" ? [] : [end])];
    return below.length === 0 ? head : `${start}${below.join("\n")}`;
  };
  const whole = await fillBudget(measure, limitTokens, {
    body,
    cut: (fits) => Math.max(0, ends[countUpTo(fits) - 1] ?? 0),
    frame,
  });
  const first = items[0] ?? "";
  // Nothing but the note: the first item alone is too large.
  if (first === "" || whole.text !== frame(0)) return { ...whole, failed: false };
  const partOf = (length: number): string =>
    `${start}${first.slice(0, length)}…\n${partNote(length, first.length)}`;
  const part = await fillBudget(measure, limitTokens, {
    body: first,
    cut: (fits) => wholeCharactersEnd(first, fits),
    frame: partOf,
  });
  if (part.text !== partOf(first.length)) return { ...part, failed: false };
  return {
    ...(await besideNote(measure, limitTokens, `${start}${first}`, note(1))),
    failed: false,
  };
}

/** A whole item whose note has no room, with as many sentences of it as have. */
function besideNote(
  measure: AnswerMeasure,
  limitTokens: number,
  item: string,
  note: string,
): Promise<Filled> {
  return fillBudget(measure, limitTokens, {
    body: note,
    cut: (fits) =>
      fits >= note.length ? note.length : wholeCallsEnd(note, note.lastIndexOf(". ", fits - 2) + 1),
    frame: (length) => `${item}\n${length === 0 ? "…" : note.slice(0, length)}`,
  });
}

/** As much of a text as fits. */
function beginning(measure: AnswerMeasure, limitTokens: number, text: string): Promise<Filled> {
  return fillBudget(measure, limitTokens, {
    body: text,
    cut: (fits) => wholeCallsEnd(text, wholeCharactersEnd(text, fits)),
    frame: (length) => (length === text.length ? text : `${text.slice(0, length)}…`),
  });
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
  const lastAt = text.lastIndexOf("\n") + 1;
  const last = text.slice(lastAt);
  let end = "";
  for (const line of lastAt === 0 ? [] : holdsCall(last) ? [last, NO_ROOM_FOR_CALL] : [last]) {
    if (end === "" && (await measure.count(line)).tokens * 2 <= limitTokens) end = `\n${line}`;
  }
  const body = end === "" ? text : text.slice(0, lastAt - 1);
  const filled = await fillBudget(measure, limitTokens, {
    body,
    cut: (fits) => wholeCallsEnd(body, wholeCharactersEnd(body, fits)),
    frame: (length) =>
      length === body.length ? `${body}${end}` : `${body.slice(0, length)}…${end}`,
  });
  return { ...answer, ...filled };
}
