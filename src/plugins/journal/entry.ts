import type { OffloadEvent } from "../../core/types/events.js";
import type { ContentKind, Layout } from "../../core/types/content.js";

/**
 * One line of a journal. `v` is the version of its format: who reads passes over what has another one. Names are cut to 300
 * characters and lists to 100 elements; sizes are bytes, times Unix milliseconds, durations milliseconds, and what is
 * called tokens is counted or estimated as the event of the same name says.
 */
export type JournalEntry = EventEntry | StayedEntry | ModelCallEntry | ModelAnswerEntry | LossEntry;

/** An entry that was read back. */
export type ReadEntry = JournalEntry & {
  /** Of no other entry of the directory; the same whenever it is read. */
  readonly id: string;
};

/** What every entry has. */
interface EntryBase {
  readonly v: 1;
  /** Unix milliseconds; never before that of an earlier entry of the same process. */
  readonly at: number;
  /** SHA-256 of the session, in hex, as in the events' `scope`; absent where no session is known. */
  readonly session?: string;
}

/** Each event of `onEvent`, under its own type. */
export type EventEntry = Journaled<OffloadEvent>;

/** An event as it is written: of an artifact what a timeline needs, of an error its name, and what no event has. */
type Journaled<Event> = Event extends OffloadEvent
  ? EntryBase &
      Omit<Event, "storedArtifact" | "error" | "scope"> &
      (Event extends { readonly storedArtifact: unknown }
        ? { readonly artifact: JournalArtifact }
        : unknown) &
      (Event extends { readonly error: unknown }
        ? {
            /** The code of an error of this library, else its name: a message may quote data or a path. */
            readonly errorName: string;
          }
        : unknown) &
      (Event extends { readonly type: "offloaded" }
        ? {
            /** What the model saw in place of the output; absent where texts are not written. */
            readonly descriptor?: JournalText;
          }
        : unknown) &
      (Event extends { readonly type: "aged" }
        ? {
            /** What the model sees in place of each of `artifactIds`; absent where texts are not written. */
            readonly lines?: readonly JournalText[];
          }
        : unknown) &
      (Event extends { readonly type: "drilled-in" }
        ? {
            readonly toolCallId?: string;
            /** What the model passed, as JSON; absent where texts are not written, and for file tools. */
            readonly arguments?: JournalText;
            /** UTF-8 bytes of the answer; absent for file tools. */
            readonly answerBytes?: number;
          }
        : unknown)
  : never;

/** A text, as far as it is written. */
export interface JournalText {
  readonly text: string;
  /** UTF-16 units of the whole; absent where `text` is all of it. */
  readonly characters?: number;
  /** The text was left out: a `redact` function failed, or it is too long to be redacted. */
  readonly withheld?: true;
}

/** A stored output, without what queries need. */
export interface JournalArtifact {
  readonly id: string;
  readonly fileName: string;
  readonly kind: ContentKind;
  readonly layout: Layout;
  readonly toolName: string;
  readonly sizeBytes: number;
  readonly lineCount: number;
  readonly recordCount?: number;
  readonly tokens: number;
  readonly tokensExact: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly wasInline?: true;
  /** Ids of the stored outputs that it was made from. */
  readonly derivedFrom?: readonly string[];
  /** What somebody said that it is; absent where texts are not written. */
  readonly title?: JournalText;
  /** Arguments of the tool's call, as JSON; absent where texts are not written. */
  readonly arguments?: JournalText;
}

/** An output of a tool that stayed in the context as it came. */
export interface StayedEntry extends EntryBase {
  readonly type: "stayed-inline";
  readonly toolName: string;
  readonly toolCallId?: string;
  /** By a look at its beginning and end: JSON is not parsed for it. */
  readonly kind: "json" | "text" | "none";
  /** UTF-8 bytes of the text that the model reads. */
  readonly sizeBytes: number;
  /** Images, audio and files beside the text. */
  readonly keptBlocks: number;
  /** Only with `inlineText`. */
  readonly text?: JournalText;
  /** Arguments of the tool's call, as JSON; only with `inlineText`. */
  readonly arguments?: JournalText;
}

/**
 * What a context is made of: `result`, `descriptor`, `drill-in` and `aged` are messages of tools: whole outputs, descriptors,
 * answers of drill-in tools, and lines where a result has left. `definitions` are those of this library's tools.
 */
export type ContextPart =
  | "system"
  | "human"
  | "ai"
  | "result"
  | "descriptor"
  | "drill-in"
  | "aged"
  | "definitions";

/** The context of one call of the model, before it is made. Tokens are estimated as bytes / 4. Only of agents with the middleware. */
export interface ModelCallEntry extends EntryBase {
  readonly type: "model-called";
  /** With the process, it names the call; from 1. */
  readonly call: number;
  /** What stands in the context; a part that is not there is absent. */
  readonly parts: Readonly<
    Partial<Record<ContextPart, { readonly messages: number; readonly tokens: number }>>
  >;
  /** All parts together. */
  readonly contextTokens: number;
  /** The same context without this library: every output whole, and neither its tools nor the calls of them and their answers. */
  readonly withoutTokens: number;
  /** Absent where nobody has said. */
  readonly windowTokens?: number;
  /** The messages of tools that take most, at most ten, largest first. */
  readonly largest: readonly ContextMessage[];
}

/** A message of a tool that takes much of a context. */
export interface ContextMessage {
  readonly part: ContextPart;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly tokens: number;
}

/** How a call of the model ended. */
export interface ModelAnswerEntry extends EntryBase {
  readonly type: "model-answered";
  /** That of its `model-called`. */
  readonly call: number;
  /** What the provider counted; absent where it says nothing. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of `inputTokens` that came from its cache. */
  readonly cachedTokens?: number;
  /** What the model called, at most 100. */
  readonly toolCalls: readonly { readonly id: string; readonly name: string }[];
  readonly failed: boolean;
  readonly durationMs: number;
}

/** Entries that were never written: the disk was slow, full, or not writable. */
export interface LossEntry extends EntryBase {
  readonly type: "entries-lost";
  readonly entries: number;
}
