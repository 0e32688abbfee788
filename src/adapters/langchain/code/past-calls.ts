import type { CallKey, LogItem } from "./call-log.js";

type Done = Extract<LogItem, { what: "done" }>;
type Asked = Extract<LogItem, { what: "asked" }>;

/** What a run did before, as the run is made again: the code gets the same results in the same order. */
export interface PastCalls {
  /** Notes that the code makes a call. What it gives is another one, which the code made in its place before. */
  arrive(call: CallKey): CallKey | undefined;
  /** What became of a call; `undefined` when it has no result yet. */
  done(index: number): Done | undefined;
  /** The question that waits for an answer; nothing else may ask before. */
  readonly waiting: Asked | undefined;
  /** Whether a person has agreed to a call of which no result is known. */
  hasBegun(index: number): boolean;
  /** Waits until the code has all results that it had before this one. */
  turnOf(done: Done): Promise<void>;
  /** Says that the code has this one. */
  told(done: Done): void;
  /** Waits until the code has all results that it had before. */
  all(): Promise<void>;
}

/** Reads a log from its beginning. */
export function pastCalls(log: readonly LogItem[]): PastCalls {
  const items = [...log];
  const doneByIndex = new Map<number, Done>();
  const keys = new Map<number, CallKey>();
  const begun = new Set<number>();
  let asked: Asked | undefined;
  for (const item of items) {
    keys.set(item.index, item);
    if (item.what === "done") doneByIndex.set(item.index, item);
    if (item.what === "agreed") begun.add(item.index);
    if (item.what !== "asked") continue;
    // The tool itself asks once more: it is called again from its beginning.
    begun.delete(item.index);
    if (asked?.index !== item.index) asked = item;
  }
  const waiting = asked !== undefined && !doneByIndex.has(asked.index) ? asked : undefined;
  const arrived = new Set<number>();
  const told = new Set<Done>();
  const waiters = new Set<() => boolean>();
  let at = 0;

  function move(): void {
    for (let item = items[at]; item !== undefined; item = items[at]) {
      const isPassed = item.what === "done" ? told.has(item) : arrived.has(item.index);
      if (!isPassed) break;
      at += 1;
    }
    for (const waiter of waiters) if (waiter()) waiters.delete(waiter);
  }

  async function reached(place: number): Promise<void> {
    if (at >= place) return;
    await new Promise<void>((resolve) => {
      waiters.add(() => {
        if (at < place) return false;
        resolve();
        return true;
      });
    });
  }

  return {
    arrive(call) {
      const before = keys.get(call.index);
      if (before && (before.toolName !== call.toolName || before.args !== call.args)) return before;
      arrived.add(call.index);
      move();
      return undefined;
    },
    done: (index) => doneByIndex.get(index),
    waiting,
    hasBegun: (index) => begun.has(index),
    turnOf: (done) => reached(items.indexOf(done)),
    told(done) {
      told.add(done);
      move();
    },
    all: () => reached(items.length),
  };
}
