import { isDeepStrictEqual } from "node:util";

import type { Transcript } from "../by-hand/transcript.js";
import type { RecordedPlay } from "./recorded-play.js";

/**
 * A play without the calls that failed and that the player made again as they were: on a busy machine a table may still
 * be loaded, which is no cost of the library.
 */
export function withoutWaiting(play: RecordedPlay): RecordedPlay {
  const { actions, transcript } = play;
  const isWaiting = (index: number): boolean =>
    transcript.answers[index]?.failed === true &&
    isDeepStrictEqual(actions[index], actions[index + 1]);
  const waiting = new Set([...actions.keys()].filter(isWaiting));
  return {
    ...play,
    actions: actions.filter((_, index) => !waiting.has(index)),
    transcript: withoutRepeated(transcript, waiting),
  };
}

/** What the player would have been shown without the calls that were made again. */
export function withoutRepeated(shown: Transcript, repeated: ReadonlySet<number>): Transcript {
  let spent = 0;
  const steps = shown.steps.flatMap((tokens, index) => {
    if (!repeated.has(index)) return [tokens - spent];
    spent += (shown.steps[index + 1] ?? tokens) - tokens;
    return [];
  });
  return { ...shown, steps, answers: shown.answers.filter((_, index) => !repeated.has(index)) };
}
