import type { JournalEntry } from "./entry.js";

/** What a text of an entry is that a `redact` function of a journal is given. */
export interface JournalledPart {
  readonly toolName: string;
  /** `descriptor`: what a model saw in place of an output. `output`: one that stayed, with `inlineText`. `arguments`: their JSON. */
  readonly part: "descriptor" | "output" | "arguments" | "title";
}

/** Takes out of a text what the journal may not have, and gives the rest. */
export type JournalRedact = (text: string, part: JournalledPart) => string | Promise<string>;

/**
 * Keeps entries of what an agent's process does, in the order in which they are appended. The plug-in `journal()` keeps them in files that
 * `npx langchain-offload inspect` and `readJournal()` read; give it a journal of your own to keep them elsewhere.
 */
export interface Journal {
  /**
   * Takes one entry. It has to return at once and to keep what it holds bounded; what it throws is ignored. The entry is plain
   * JSON data that nobody changes, its texts redacted and cut.
   */
  append(entry: JournalEntry): void;
  /** Waits until what was appended is written, or lost. Called by `offloader.close()`, which waits 10 seconds for it at most; what it rejects with is ignored. */
  flush?(): Promise<void>;
  /** Whether outputs that stay inline are appended with their text and arguments. Default: `false`. */
  readonly inlineText?: boolean;
  /** Called with every text before its entry is appended; where it fails, the text is withheld. Default: none. */
  readonly redact?: JournalRedact | undefined;
}
