/** JSON between the page and its server. Sizes are bytes, times Unix milliseconds. */
import type { StoredArtifact } from "../core/types/artifact.js";
import type {
  EntryOf,
  JournalLosses,
  JournalSession,
  ReadEntry,
} from "../plugins/journal/entry.js";

export interface About {
  readonly directory: string;
  readonly version: string;
  readonly unreadable: number;
  readonly losses: JournalLosses | undefined;
}

export interface Rows<Row> {
  readonly total: number;
  /** Index of the first row. */
  readonly from: number;
  readonly rows: readonly Row[];
}

export interface SessionRow {
  /** SHA-256 of the session, in hex. */
  readonly id: string;
  readonly name: string | undefined;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly outputs: number;
  readonly sizeBytes: number;
  readonly tools: readonly string[];
}

export interface SessionDetail extends SessionRow {
  readonly journal: JournalSession | undefined;
  /** Of the outputs that the journal tells of, each as often as it was stored. */
  readonly neverRead: number;
  readonly neverReadTokens: number;
  readonly latestCall: UsagePoint | undefined;
}

export type UsagePoint = EntryOf<"model-called">;

export interface OutputRow extends Omit<StoredArtifact, "recipes" | "fields" | "args" | "sets"> {
  readonly about: string;
  readonly neverRead: boolean;
  readonly reads: number;
}

export interface OutputDetail {
  readonly artifact: StoredArtifact;
  /** What happened to it, oldest first: the first entry and the last ones, at most 200; absent without a journal. */
  readonly entries?: readonly ReadEntry[];
}

export interface BodyLine {
  readonly text: string;
  readonly cut?: boolean;
}
