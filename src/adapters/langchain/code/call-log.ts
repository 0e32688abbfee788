import type { CallResult, SavedOutput } from "../../../drill-in/code/callable-tools.js";
import type { NotedRun, RunNotes } from "../../../offload/run-notes.js";

/** Which call it is: by its number in the run, and by what is called with what. */
export interface CallKey {
  readonly index: number;
  readonly toolName: string;
  /** SHA-256 of the arguments as JSON, in hex. */
  readonly args: string;
}

/** One thing that a run has done, in the order in which it did them. */
export type LogItem =
  /** A person was asked, by the question of this number, from 0. */
  | (CallKey & { readonly what: "asked"; readonly question: number })
  /** The person agreed, and the tool is about to be called. */
  | (CallKey & { readonly what: "agreed" })
  /** It has a result. `questions` is how many had been answered then, of a call that ran alone. */
  | (CallKey & { readonly what: "done"; readonly questions: number; readonly result: CallResult });

/** What a note holds. */
type Noted = LogItem | (SavedOutput & { readonly what: "saved" });

/** What a run has done so far: in memory, and where it can be resumed in the store too. */
export interface CallLog {
  /** The seed and the clock of the run, the same whenever it is resumed. */
  readonly repeatable: { readonly seed: number; readonly nowMs: number };
  readonly items: readonly LogItem[];
  /** By their numbers. */
  readonly saved: ReadonlyMap<number, SavedOutput>;
  /** Whether all of it can be read when the run is resumed. */
  isKept(): boolean;
  /** Adds an item, after those that were added before. @throws {@link OffloadError} with code `STORE_WRITE_FAILED` */
  add(item: Noted): Promise<void>;
  /** Deletes it, after what is being added. Never rejects. */
  delete(): Promise<void>;
}

/** Where a log is kept. */
export interface KeptLog {
  readonly notes: RunNotes;
  readonly run: NotedRun;
  readonly ttlMs: number;
}

type First = CallLog["repeatable"];

/**
 * Opens the log of a run: what is kept of it, or a new one.
 *
 * @param kept - Absent for a run that cannot be resumed.
 * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
 */
export async function openCallLog(fresh: First, kept: KeptLog | undefined): Promise<CallLog> {
  const texts = (await kept?.notes.read(kept.run)) ?? [];
  const [first, ...before] = texts;
  const repeatable: First = first === undefined ? fresh : JSON.parse(first);
  const items: LogItem[] = [];
  const saved = new Map<number, SavedOutput>();
  for (const text of before) note(JSON.parse(text));
  let written = texts.length;
  let isBroken = false;
  let last: Promise<void> = Promise.resolve();

  function note(item: Noted): void {
    if (item.what === "saved") saved.set(item.number, item);
    else items.push(item);
  }

  async function write(value: unknown): Promise<void> {
    if (kept === undefined) return;
    const { notes, run, ttlMs } = kept;
    await notes.write(run, written, JSON.stringify(value), ttlMs);
    written += 1;
  }

  return {
    repeatable,
    items,
    saved,
    isKept: () => kept !== undefined && !isBroken,
    async add(item) {
      const added = last.then(async () => {
        if (isBroken) return;
        try {
          if (written === 0) await write(repeatable);
          await write(item);
        } catch (error) {
          isBroken = true;
          throw error;
        } finally {
          note(item);
        }
      });
      last = added.catch(() => {});
      await added;
    },
    async delete() {
      await last;
      await kept?.notes.delete(kept.run, written);
    },
  };
}
