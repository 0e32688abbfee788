import { messageOf } from "../../src/util/error-message.js";
import { withArm } from "../agent.js";
import { BY_HAND_ARMS } from "../by-hand/by-hand-arms.js";
import { WINDOW_TOKENS } from "../by-hand/by-hand.js";
import { UsageError } from "../command-line.js";
import type { EvaluationContext } from "../evaluate.js";
import { createTokenCounter } from "../tokens.js";
import { readPlays, recordedFiles, type RecordedPlay } from "./recorded-play.js";
import { type ReplayedPlay, replayPlay } from "./replay-play.js";
import { replayTables } from "./replay-tables.js";

/** Whether the command line asks for recorded plays, and not for a recorded run, whose file is one of JSON lines. */
export function isReplay(args: readonly string[]): boolean {
  return args[0] === "--replay" && args.slice(1).every((arg) => arg.endsWith(".json"));
}

/**
 * Runs `npm run eval -- --replay FILE.json …`: what players did is done again on the library as it is now.
 * Without files it takes those that come with the source.
 *
 * @returns 0; 1 when an answer says other data, a call fails that did not, or a right answer is right no longer;
 * 2 for a file that has no plays.
 */
export async function replayPlays(
  [, ...files]: readonly string[],
  { out, err, signal }: EvaluationContext,
): Promise<number> {
  try {
    const plays = (files.length > 0 ? files : recordedFiles()).flatMap(readPlays);
    if (plays.length === 0) throw new UsageError("The files have no plays.");
    const replayed: ReplayedPlay[] = [];
    for (const arm of new Set(plays.map((play) => play.arm))) {
      const own = plays.filter((play) => play.arm === arm);
      replayed.push(...(await replayArm(arm, own, signal)));
    }
    out(`${replayTables(replayed)}\n`);
    const faults = replayed.filter((play) => play.faults.length > 0).length;
    if (faults > 0) err(`${faults} of ${replayed.length} plays are not what they were.\n`);
    return faults > 0 ? 1 : 0;
  } catch (error) {
    if (signal.aborted) return 130;
    err(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function replayArm(
  name: string,
  plays: readonly RecordedPlay[],
  signal: AbortSignal,
): Promise<ReplayedPlay[]> {
  const arm = BY_HAND_ARMS.find((one) => one.name === name);
  if (arm === undefined) throw new UsageError(`There is no arm "${name}".`);
  const counter = await createTokenCounter();
  return await withArm(arm, WINDOW_TOKENS, async (store) => {
    const replayed: ReplayedPlay[] = [];
    for (const play of plays)
      replayed.push(await replayPlay(play, { arm, ...store, counter, signal }));
    return replayed;
  });
}
