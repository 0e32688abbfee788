import { emit } from "../../core/types/events.js";
import type { Clean } from "../../core/types/plugin.js";
import { withDeadline } from "../../util/abort.js";
import type { JournalEntry, JournalText } from "./entry.js";
import type { Draft, TakeText } from "./event-entry.js";
import type { Journal } from "./journal.js";
import { createRedaction, MAX_REDACTED, WITHHELD, writtenText } from "./texts.js";

/** Makes entries of what happens, and appends them to a journal. No method throws or waits. */
export interface Recorder {
  /** Appends an entry. */
  record(draft: (take: TakeText) => Draft<JournalEntry>): void;
  /** Whether outputs that stay are recorded with their text. */
  readonly inlineText: boolean;
  /** Waits until the journal has written what it has, or lost it, 10 seconds at most. Never rejects. */
  flush(): Promise<void>;
}

/** What a recorder works with. */
export interface RecorderParts {
  readonly journal: Journal;
  /** Cleans a text. */
  readonly clean: Clean;
  /** Whether anything is cleaned. */
  readonly isCleaned: () => boolean;
  /** `false` over a store that encrypts: no text is to stand beside it. */
  readonly hasTexts: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Entries whose texts are being redacted, and the UTF-16 units of these; of more, entries are lost. */
const MAX_WAITING = 1_000;
const MAX_WAITING_CHARACTERS = 8_388_608;
/** How long is waited for a `redact` function or a disk that may never be done, in milliseconds. */
const MAX_FLUSH_MS = 10_000;

/** Creates the recorder of an offloader. */
export function createRecorder({
  journal,
  clean,
  isCleaned,
  hasTexts,
  now,
}: RecorderParts): Recorder {
  const redacted = createRedaction({ clean, ofJournal: journal.redact });
  let lastAt = 0;
  let waiting = 0;
  let waitingCharacters = 0;
  let lost = 0;
  let tail: Promise<void> = Promise.resolve();

  const told = journal.append.bind(journal);

  function append(entry: JournalEntry): void {
    emit(told, entry);
  }

  function at(): number {
    lastAt = Math.max(lastAt, now());
    return lastAt;
  }

  /** Before what waits: its time is that of the entry it stands behind. */
  function tellLost(time = at()): void {
    if (lost === 0) return;
    append({ v: 1, at: time, type: "entries-lost", entries: lost });
    lost = 0;
  }

  function record(draft: (take: TakeText) => Draft<JournalEntry>): void {
    if (waiting >= MAX_WAITING) {
      lost += 1;
      return;
    }
    const texts: (() => Promise<void>)[] = [];
    let characters = 0;
    const take: TakeText = (raw) => {
      if (!hasTexts) return undefined;
      if (!isCleaned() && journal.redact === undefined) return writtenText(raw);
      // Not held while others are redacted: it may be as large as any output that stays.
      if (raw.text.length > MAX_REDACTED) return WITHHELD;
      const text: { -readonly [Name in keyof JournalText]: JournalText[Name] } = { text: "" };
      characters += raw.text.length;
      texts.push(async () => void Object.assign(text, await redacted(raw)));
      return text;
    };
    let entry: JournalEntry;
    try {
      entry = { v: 1, at: at(), ...draft(take) };
    } catch {
      // Whatever an event holds, it fails no tool call.
      lost += 1;
      return;
    }
    if (waiting === 0 && texts.length === 0) {
      tellLost();
      append(entry);
      return;
    }
    if (waitingCharacters + characters > MAX_WAITING_CHARACTERS) {
      lost += 1;
      return;
    }
    // In their order, whatever they wait for.
    waiting += 1;
    waitingCharacters += characters;
    tail = afterOthers(tail, async () => {
      for (const text of texts) await text();
      waiting -= 1;
      waitingCharacters -= characters;
      append(entry);
      tellLost(entry.at);
    });
  }

  return {
    record,
    inlineText: hasTexts && journal.inlineText === true,
    async flush() {
      try {
        await withDeadline({ timeoutMs: MAX_FLUSH_MS, late: "The journal is late." }, async () => {
          await tail;
          tellLost();
          await journal.flush?.();
        });
      } catch {
        // A journal that cannot be written, or is never done, fails nothing.
      }
    },
  };
}

async function afterOthers(others: Promise<void>, work: () => Promise<void>): Promise<void> {
  await others;
  await work();
}
