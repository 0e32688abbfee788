import { emit } from "../../core/types/events.js";
import type { Clean, TextPart } from "../../core/types/plugin.js";
import { withDeadline } from "../../util/abort.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";
import type { Draft, JournalEntry, JournalText } from "./entry.js";

/** Takes entries of what an agent's process does, in order. */
export interface Journal {
  /** Returns at once and bounds what it holds; errors it throws are ignored. Entries never change. */
  append(entry: JournalEntry): void;
  /** Waits until the appended entries are written or lost. */
  flush?(): Promise<void>;
  /** Whether outputs that stay inline are appended with their text and arguments. Default: `false`. */
  readonly inlineText?: boolean;
}

interface RawText {
  /** Without one it is withheld. */
  readonly text: string | undefined;
  readonly toolName: string;
  /** `output`: one that stayed inline. `arguments`: their JSON. */
  readonly part: "descriptor" | "output" | "arguments";
}

/** `undefined` where no texts are written. */
export type TakeText = (raw: RawText) => JournalText | undefined;

export interface Recorder {
  record(draft: (take: TakeText) => Draft): void;
  /** Waits at most 10 seconds until the journal has written or lost its entries. Never rejects. */
  flush(): Promise<void>;
}

export interface RecorderParts {
  readonly journal: Journal;
  /** Cleans outputs and arguments; all other texts are of cleaned ones. `undefined` when nothing is cleaned. */
  readonly cleaner: () => Clean | undefined;
  readonly hasTexts: boolean;
  readonly now: () => number;
}

/** UTF-16 units of entries that wait for cleaning, and the share of one beside its texts; above, entries are lost. */
const MAX_WAITING = 8_388_608;
const ENTRY_CHARACTERS = 8_192;
const MAX_CLEANED = 65_536;
const MAX_CLEAN_MS = 5_000;
const MAX_FLUSH_MS = 10_000;
/** In UTF-16 units. */
const MAX_WRITTEN = { descriptor: 32_768, output: 4_096, arguments: 4_096 } as const;

const WITHHELD: JournalText = { text: "", withheld: true };

export function createRecorder({ journal, cleaner, hasTexts, now }: RecorderParts): Recorder {
  const told = journal.append.bind(journal);
  let lastAt = 0;
  let waiting = 0;
  let lost = 0;
  let isLate = false;
  /** Keeps the order. Never rejects. */
  let tail: Promise<void> = Promise.resolve();

  function append(entry: JournalEntry): void {
    tellLost(entry.at);
    emit(told, entry);
  }

  function tellLost(at: number): void {
    if (lost > 0) emit(told, { v: 1, at, type: "entries-lost", entries: lost });
    lost = 0;
  }

  /** While a function does not answer, it is not called again and texts are withheld. Never rejects. */
  async function cleaned(
    text: string,
    part: Pick<TextPart, "toolName"> & { readonly part: "output" | "arguments" },
    clean: Clean,
  ): Promise<JournalText> {
    if (isLate) return WITHHELD;
    const answer = (async () => cut(await clean(text, part), part.part))().catch(() => WITHHELD);
    try {
      return await withDeadline({ timeoutMs: MAX_CLEAN_MS, late: "late" }, () => answer);
    } catch {
      isLate = true;
      void answer.then(() => (isLate = false));
      return WITHHELD;
    }
  }

  function record(draft: (take: TakeText) => Draft): void {
    const clean = cleaner();
    const texts: (() => Promise<void>)[] = [];
    let characters = ENTRY_CHARACTERS;
    const take: TakeText = ({ text, toolName, part }) => {
      if (!hasTexts) return undefined;
      if (text === undefined) return WITHHELD;
      if (clean === undefined || part === "descriptor") return cut(text, part);
      // Text this large is not held during cleaning.
      if (text.length > MAX_CLEANED) return WITHHELD;
      const taken: JournalText = { text: "" };
      characters += text.length;
      texts.push(
        async () => void Object.assign(taken, await cleaned(text, { toolName, part }, clean)),
      );
      return taken;
    };
    try {
      lastAt = Math.max(lastAt, now());
      const entry: JournalEntry = { v: 1, at: lastAt, ...draft(take) };
      if (waiting === 0 && texts.length === 0) append(entry);
      else if (waiting + characters > MAX_WAITING) lost += 1;
      else {
        waiting += characters;
        const others = tail;
        tail = (async () => {
          await others;
          for (const text of texts) await text();
          waiting -= characters;
          append(entry);
        })();
      }
    } catch {
      // No event may fail a tool call.
      lost += 1;
    }
  }

  return {
    record,
    async flush() {
      try {
        await withDeadline({ timeoutMs: MAX_FLUSH_MS, late: "The journal is late." }, async () => {
          await tail;
          tellLost(lastAt);
          await journal.flush?.();
        });
      } catch {
        // A journal must not fail anything.
      }
    },
  };
}

function cut(text: string, part: RawText["part"]): JournalText {
  const end = wholeCharactersEnd(text, MAX_WRITTEN[part]);
  return end === text.length ? { text } : { text: text.slice(0, end), characters: text.length };
}
