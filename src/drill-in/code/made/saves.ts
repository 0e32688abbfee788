import { createHash } from "node:crypto";

import type { MadeOutput } from "../request.js";

/** What a run has saved. */
export interface SavedOutput {
  /** From 0, in the order in which the run began to save. */
  readonly number: number;
  readonly id: string;
  /** {@link contentOf} what was saved. */
  readonly content: string;
}

/** What a run saves, for one that is resumed: it gets the same ids, and nothing is stored twice. */
export interface SavesOfRun {
  /** What it saved as this number when it ran before. */
  before(number: number): SavedOutput | undefined;
  /** Notes what was saved now. Never rejects. */
  add(saved: SavedOutput): Promise<void>;
  /** Ends a run that saves something else than before, by what it throws. */
  otherWay(number: number): never;
}

/** The same, whose name, form and bytes are hashed while they are read. */
export function hashedOutput(made: MadeOutput): {
  readonly made: MadeOutput;
  /** In hex, once all of it was read. */
  readonly content: () => string;
} {
  const hash = createHash("sha256").update(JSON.stringify([made.from, made.form]));
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of made.pieces) {
      hash.update(piece);
      yield piece;
    }
  }
  return { made: { ...made, pieces: pieces() }, content: () => hash.digest("hex") };
}

/** The hash of all of it, which is read and goes nowhere. */
export async function contentOf(given: MadeOutput): Promise<string> {
  const { made, content } = hashedOutput(given);
  const reading = made.pieces[Symbol.asyncIterator]();
  while ((await reading.next()).done !== true);
  return content();
}
