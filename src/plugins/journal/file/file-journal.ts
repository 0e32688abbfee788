import { resolve } from "node:path";

import * as z from "zod";

import {
  callback,
  checkedOptions,
  lifeMs,
  notEmpty,
  optionsOf,
  wholeNumber,
} from "../../../util/option-rules.js";
import { MAX_TIMER_MS } from "../../../util/abort.js";
import { warnOnce } from "../../../util/warn-once.js";
import type { JournalEntry } from "../entry.js";
import type { Journal, JournalRedact } from "../journal.js";
import { defaultJournalDirectory } from "./journal-folder.js";
import { createLineQueue } from "./line-queue.js";
import { createSegmentWriter } from "./segment-writer.js";

/** Where a journal is kept, and what it has. */
export interface JournalOptions {
  /**
   * Where the journal lies. Made for this user only (mode 0700) where it is missing; several processes may share it.
   *
   * @remarks Set it when the temporary directory is not kept, or agents of several users run on one machine.
   * @defaultValue `langchain-offload-journal-{user id}` in the system's temporary directory
   */
  readonly directory?: string;
  /**
   * How long entries are kept, in milliseconds; one may stay an eighth longer.
   *
   * @remarks Set it when you look at runs of weeks, or nothing may stay for days.
   * @defaultValue `604_800_000`: seven days
   */
  readonly maxAgeMs?: number;
  /**
   * Largest sum of the journal's files, in bytes, from 1,048,576 up; the oldest are deleted first. While several processes write,
   * each beside the first may be over it by a sixteenth, 4,194,304 bytes at most.
   *
   * @remarks Set it when the disk is small, or runs are long.
   * @defaultValue `67_108_864`
   */
  readonly maxBytes?: number;
  /**
   * Writes outputs that stay inline with their text and arguments, at most 4,096 characters of each; without it their size, kind and tool.
   * It is refused beside an encrypted store.
   *
   * @remarks Set it when you develop, and want to see all that the model sees.
   * @defaultValue `false`
   */
  readonly inlineText?: boolean;
  /**
   * Takes out of every text what the journal may not have, after the plug-ins have cleaned it; where it fails, or the text is
   * longer than 65,536 characters, nothing of it is written.
   *
   * @remarks Set it when the store may hold what the journal must not.
   * @defaultValue none
   */
  readonly redact?: JournalRedact;
}

const schema = optionsOf({
  directory: notEmpty('a path, such as "./journal"').optional(),
  maxAgeMs: lifeMs.optional(),
  maxBytes: wholeNumber(1_048_576).optional(),
  inlineText: z.boolean().optional(),
  redact: callback.optional(),
});

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * A journal in a directory: JSON lines, one file a process and segment, readable by this user only (mode 0600). Lines are
 * written in batches beside the agent's work, which never waits for them: what a slow or full disk does not take is
 * lost, and how many entries were is written when it takes more. The last 50 milliseconds are lost where a process is
 * killed, or ends itself before `offloader.close()`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function fileJournal(options: JournalOptions = {}): Journal {
  const checked = checkedOptions<JournalOptions>("journal", schema, options);
  const { maxAgeMs = 7 * DAY_MS, maxBytes = 67_108_864, inlineText = false, redact } = checked;
  const directory = resolve(checked.directory ?? defaultJournalDirectory());
  const writer = createSegmentWriter(directory, { maxAgeMs, maxBytes });
  const queue = createLineQueue(writer, {
    lossLine: (entries) => lineOf({ v: 1, at: Date.now(), type: "entries-lost", entries }),
    onFault: (error) => {
      const reason = error instanceof Error ? error.message : String(error);
      warnOnce(`The journal in ${directory} cannot be written, and entries are lost: ${reason}`);
    },
    tidyMs: Math.min(Math.max(1_000, maxAgeMs / 8), HOUR_MS, MAX_TIMER_MS),
  });
  return {
    append: (entry) => queue.add(lineOf(entry)),
    flush: () => queue.flush(),
    inlineText,
    redact,
  };
}

function lineOf(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
