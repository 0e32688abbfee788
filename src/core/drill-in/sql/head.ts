import type { AnswerMeasure } from "../shared/answer/answer.js";
import { shorten, wholeCharactersEnd } from "../../../util/safe-text.js";

/** Between two names; within a name the mark has a backslash before it. */
const MARK = " | ";
/** Tried one after the other. */
const NAME_CHARACTERS = [60, 30, 15, 8];

/** The line of column names with each name cut until the line is within a limit, and at last with fewer names. */
export async function shortHead(
  measure: AnswerMeasure,
  limitTokens: number,
  head: string,
): Promise<string> {
  const names = head.split(MARK);
  let shorter = head;
  for (const characters of NAME_CHARACTERS) {
    shorter = names.map((name) => shorten(name, characters)).join(MARK);
    if ((await measure.count(shorter)).tokens <= limitTokens) return shorter;
  }
  const end = wholeCharactersEnd(shorter, await measure.fit(shorter, limitTokens));
  return `${shorter.slice(0, end)}…`;
}
