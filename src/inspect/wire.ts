/** What the page and its server say to each other, all of it JSON. Sizes are bytes, times Unix milliseconds. */
import type { StoredArtifact } from "../core/types/artifact.js";
import type { JournalLosses, JournalSession, ReadEntry } from "../plugins/journal/entry.js";

/** What the inspector looks at, and what it can do. */
export interface About {
  readonly directory: string;
  readonly hasJournal: boolean;
  /** Drill-ins that can be asked here. */
  readonly tools: readonly AskTool[];
  /** Another text when anything was stored, removed or journalled. */
  readonly version: string;
  /** Records that are damaged or somebody else's. */
  readonly unreadable: number;
  readonly losses: JournalLosses | undefined;
}

/** A part of a list; `total` is how many rows there are that were asked for. */
export interface Rows<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** One session: what the store has of it. */
export interface SessionRow {
  /** SHA-256 of the session, in hex. */
  readonly id: string;
  /** Its thread id, where somebody asked by it: only the hash is stored. */
  readonly name: string | undefined;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Outputs that are stored and have not expired. */
  readonly outputs: number;
  readonly sizeBytes: number;
  /** Their tools, at most three. */
  readonly tools: readonly string[];
  readonly inJournal: boolean;
}

/** One session in full, but for its entries and outputs. */
export interface SessionDetail extends SessionRow {
  readonly journal: JournalSession | undefined;
  readonly shares: readonly ToolShare[];
  /** The newest calls of the model, oldest first, at most 1,000; empty without a journal. */
  readonly ledger: readonly LedgerPoint[];
  /** Older entries, which the figures leave out. */
  readonly entriesLeftOut: number;
}

/** What the outputs of one tool cost. What the model saw and read of them only a journal knows: without one these are 0. */
export interface ToolShare {
  readonly toolName: string;
  readonly outputs: number;
  readonly offloaded: number;
  /** With every output whole. */
  readonly tokensWithout: number;
  /** As the model saw them at first, without later reads. */
  readonly tokensSeen: number;
  /** Answers of drill-ins into its outputs. */
  readonly tokensRead: number;
  /** Of the offloaded, and the tokens of these. */
  readonly neverRead: number;
  readonly neverReadTokens: number;
  /** Which tokens are estimated, at least some: those without, or those as seen too; absent where all are counted. */
  readonly estimated: "whole" | "seen" | undefined;
}

/** The context of one call of the model: tokens by part, and what it would have been. All are estimated. */
export interface LedgerPoint {
  readonly at: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly contextTokens: number;
  readonly withoutTokens: number;
  readonly windowTokens: number | undefined;
}

/** One stored output in a list. */
export interface OutputRow extends Omit<StoredArtifact, "recipes" | "fields" | "args" | "sets"> {
  /** Its title, else the beginning of its call's arguments. */
  readonly about: string;
  /** `never read`, or that the model had seen it whole before it left the context; `""` where it was read or nobody knows. */
  readonly unread: string;
  /** How often it was read in its session, and what that brought into the context; without a journal nobody knows. */
  readonly reads: { readonly calls: number; readonly answerTokens: number } | undefined;
}

/** One output in full, but for its body. */
export interface OutputDetail {
  readonly artifact: StoredArtifact;
  /** What happened to it, oldest first: the first entry and the last ones, at most 200; absent without a journal. */
  readonly entries: readonly ReadEntry[] | undefined;
}

/** A line of a body. */
export interface BodyLine {
  readonly text: string;
  /** The cells of a row of a table. */
  readonly cells?: readonly string[];
  /** The text is only its beginning. */
  readonly cut?: boolean;
}

/** Lines that follow each other. */
export interface BodyPage {
  readonly lines: readonly BodyLine[];
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Of a table. */
  readonly columns?: readonly string[];
}

export type AskTool = "read" | "grep" | "jq" | "sql";

/** What the model would get. */
export interface AskAnswer {
  readonly text: string;
  readonly failed: boolean;
  readonly callTokens: number;
  readonly answerTokens: number;
  readonly durationMs: number;
}
