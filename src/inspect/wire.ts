/** What the page and its server say to each other, all of it JSON. Sizes are bytes, times Unix milliseconds. */
import type { ReadEntry } from "../plugins/journal/entry.js";
import type { JournalLosses, JournalSession } from "../plugins/journal/session.js";
import type { StoredArtifact } from "../core/types/artifact.js";

/** What the inspector looks at, and what it can do. */
export interface About {
  readonly directory: string;
  /** Absent without a journal. */
  readonly journal?: string;
  /** Drill-ins that can be asked here. */
  readonly tools: readonly AskTool[];
  /** Records that are damaged or somebody else's. */
  readonly unreadable: number;
  readonly losses?: JournalLosses;
}

/** One session in the list: what the store has of it and what the journal knows. */
export interface SessionRow {
  /** SHA-256 of the session, in hex; `""` for entries of no session. */
  readonly id: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Outputs that are stored and have not expired. */
  readonly outputs: number;
  readonly sizeBytes: number;
  /** What these outputs would have cost inline. */
  readonly tokens: number;
  /** The tools with most tokens, at most three. */
  readonly tools: readonly string[];
  readonly journal: JournalSession | undefined;
}

/** One stored output in a list. */
export interface OutputRow extends Pick<
  StoredArtifact,
  | "id"
  | "toolName"
  | "kind"
  | "sizeBytes"
  | "recordCount"
  | "lineCount"
  | "tokens"
  | "tokensExact"
  | "createdAt"
  | "expiresAt"
> {
  /** Its title, else the beginning of its call's arguments. */
  readonly about: string | undefined;
  /** Encrypted, with a key that this program has not. */
  readonly sealed: boolean;
  /** It left the context later, when it was stale. */
  readonly left: boolean;
  /** How often it was read in its session, and what that brought into the context; without a journal nobody knows. */
  readonly reads: { readonly calls: number; readonly answerTokens: number } | undefined;
}

/** A part of the stored outputs of a session, newest first. */
export interface OutputsPage {
  /** Those that have the words that are wanted. */
  readonly total: number;
  readonly outputs: readonly OutputRow[];
}

/** What the outputs of one tool cost. Only a journal knows what the model saw and read. */
export interface ToolShare {
  readonly toolName: string;
  readonly outputs: number;
  readonly offloaded: number;
  /** With every output whole. */
  readonly tokensWithout: number;
  /** As the model saw them at first, without later reads. */
  readonly tokensSeen?: number;
  /** Answers of drill-ins into its outputs. */
  readonly tokensRead?: number;
  /** Of the offloaded, and the tokens of these. */
  readonly neverRead?: number;
  readonly neverReadTokens?: number;
  /** What is estimated: as they came, or as the model saw them too; absent where all is counted. */
  readonly estimated?: "whole" | "seen";
}

/** The context of one call of the model: tokens by part, and what it would have been. */
export interface LedgerPoint {
  readonly at: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly contextTokens: number;
  readonly withoutTokens: number;
  readonly windowTokens: number | undefined;
  readonly largest: readonly { part: string; toolName: string; tokens: number }[];
}

/** One session in full, but for its entries. */
export interface SessionDetail {
  readonly row: SessionRow;
  /** Of what is still stored; without a journal nobody knows. */
  readonly unread: Unread | undefined;
  readonly tools: readonly ToolShare[];
  /** Calls of the model, oldest first, at most 1,000 evenly taken; empty without a journal. */
  readonly ledger: readonly LedgerPoint[];
  readonly calls: number;
  /** What all calls of the model read together, by part. */
  readonly partTokens: Readonly<Record<string, number>>;
  /** Entries of the journal that the figures are made of. */
  readonly entries: number;
  /** Older entries, which the figures leave out. */
  readonly entriesLeftOut: number;
}

/** What was stored when it came, and never read. */
export interface Unread {
  readonly outputs: number;
  readonly tokens: number;
  /** At most five. */
  readonly largest: readonly OutputRow[];
}

/** A part of a session's timeline. */
export interface EntriesPage {
  readonly total: number;
  readonly entries: readonly ReadEntry[];
  /** The tools of outputs that these entries are about and that are still stored, by their ids. */
  readonly stored: Readonly<Record<string, string>>;
}

/** One output in full, but for its body. */
export interface OutputDetail {
  readonly artifact: StoredArtifact;
  /** What was asked of it, newest last, at most 200; absent without a journal. */
  readonly readBy?: readonly ReadEntry[] | undefined;
  /** Its descriptor as the model saw it, where a journal has it. */
  readonly seen?: SeenDescriptor | undefined;
  /** It left the context when it was stale. */
  readonly left?: LeftOutput | undefined;
}

/** What the model sees of an output since it left the context. */
export interface LeftOutput {
  readonly at: number;
  /** The line in its place; absent where the journal has no texts. */
  readonly line: string | undefined;
}

/** What stood in the model's context in place of an output. */
export interface SeenDescriptor {
  readonly text: string;
  readonly tokens: number;
  readonly cut: boolean;
}

/** A line of a body, or a part of a very long one. */
export interface BodyLine {
  /** Where it begins. */
  readonly at: number;
  readonly sizeBytes: number;
  readonly text: string;
  /** It begins within a line. */
  readonly continued?: true;
  /** It ends within a line. */
  readonly cut?: true;
}

/** Lines that follow each other. */
export interface BodyPage {
  readonly lines: readonly BodyLine[];
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** The byte where the next page begins; absent on the last. */
  readonly next?: number;
}

export type AskTool = "read" | "grep" | "jq" | "sql" | "code";

/** A call as a model would make it. */
export interface AskRequest {
  readonly tool: AskTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the model would get. */
export interface AskAnswer {
  readonly text: string;
  readonly failed: boolean;
  readonly callTokens: number;
  readonly answerTokens: number;
  readonly durationMs: number;
}

/** What went wrong, in place of an answer. */
export interface Fault {
  readonly error: string;
}
