import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { messageOf } from "../../src/util/error-message.js";
import { BY_HAND_ARMS } from "../by-hand/by-hand-arms.js";
import type { Action } from "../by-hand/seat-model.js";
import type { Transcript } from "../by-hand/transcript.js";
import { UsageError } from "../command-line.js";
import { PRACTICE } from "../tasks/practice.js";
import { withoutWaiting } from "./without-repeated.js";

/** One recorded play of one task. */
export interface RecordedPlay {
  readonly player: string;
  readonly arm: string;
  readonly task: string;
  readonly ending: string;
  readonly right: boolean;
  readonly actions: readonly Action[];
  readonly transcript: Transcript;
}

/** Where the recorded plays are. */
const FOLDER = "eval/baseline";

const answered = z.object({
  text: z.string(),
  digest: z.string(),
  tokens: z.number(),
  failed: z.boolean(),
});
const call = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
const played = z.object({
  version: z.literal(1),
  arm: z.enum(BY_HAND_ARMS.map(({ name }) => name)),
  player: z.string(),
  results: z.array(
    z.object({
      task: z.enum(PRACTICE.map(({ id }) => id)),
      ending: z.string(),
      right: z.boolean(),
      actions: z.array(z.union([call, z.object({ answer: z.unknown() })])),
      transcript: z.object({
        definitions: z.number(),
        descriptors: z.array(answered),
        answers: z.array(answered),
        steps: z.array(z.number()),
      }),
    }),
  ),
});

/** The files of recorded plays that come with the source. @throws {@link UsageError} when there are none. */
export function recordedFiles(): string[] {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : [];
  const files = names.filter((name) => name.endsWith(".json")).map((name) => join(FOLDER, name));
  if (files.length === 0) throw new UsageError(`There is no recorded play in ${FOLDER}.`);
  return files;
}

/** Reads the plays of a results file. @throws {@link UsageError} that names the file and what is wrong with it. */
export function readPlays(path: string): RecordedPlay[] {
  const { success, data, error } = played.safeParse(jsonOf(path));
  if (success) {
    const { arm, player, results } = data;
    return results.map((result) => withoutWaiting({ ...result, arm, player }));
  }
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  throw new UsageError(
    `${path} is no file of recorded plays: ${place === "" ? "" : `${place}: `}${issue?.message}`,
  );
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const text = messageOf(error);
    throw new UsageError(
      error instanceof SyntaxError ? `${path} is not JSON: ${text}` : `Cannot be read: ${text}`,
    );
  }
}
