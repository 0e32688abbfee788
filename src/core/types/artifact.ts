import type { ContentKind, Layout, SetPlace } from "./content.js";
import type { StoredMedia } from "./media.js";

/** A ready-made query over the records; its number is its place in the list, counted from 1. */
export interface Recipe {
  readonly description: string;
  /** The jq filter; parameters appear as jq variables. */
  readonly filter: string;
  /** Runs over all records as one array (`jq -s`). */
  readonly slurp: boolean;
  /** Prints strings without quotes (`jq -r`). */
  readonly raw: boolean;
  /** Variables of the filter and the value each has when none is given. */
  readonly params: Readonly<Record<string, string | number>>;
  /** The shell command's filter when it differs from `filter` (a value in place of a variable). */
  readonly shellFilter?: string | undefined;
}

/** MIF detail level of the stored records; `full` for data that is not MIF. */
export type DetailLevel = "light" | "medium" | "full";

/** What a message carries of a stored output: all but what only drill-ins need, which is kept beside the body. */
export type CarriedArtifact = Omit<StoredArtifact, "recipes" | "fields"> & {
  /** The artifact that the tool gave beside its output, up to some 4 KB; absent where it was larger or there was none. */
  readonly toolArtifact?: unknown;
  /** The tool gave a larger one, which is nowhere any more. */
  readonly toolArtifactLeftOut?: true | undefined;
};

/** The record of an output that is encrypted, as its store keeps it. Texts of bytes are base64. */
interface SealedRecord {
  /** Which key it takes; the key itself is nowhere. */
  readonly keyId: string;
  /** Of the output's own key, which is made of that one. */
  readonly salt: string;
  /** Tells whether a key of that id is the right one. */
  readonly check: string;
  readonly record: string;
}

/** A stored tool output. Plain JSON data: it is what a store keeps beside the body. */
export interface StoredArtifact {
  /** ULID; unguessable, and useless outside the session it belongs to. */
  readonly id: string;
  readonly fileName: string;
  /** Absolute path; `undefined` when the store has no local files. */
  readonly filePath?: string | undefined;
  readonly kind: ContentKind;
  readonly layout: Layout;
  /** In a table: a quote is a character like any other. Absent where it can open a cell. */
  readonly literalQuotes?: true | undefined;
  /** What the bytes are, where they came as an image, a sound, a document or another file. */
  readonly media?: StoredMedia | undefined;
  readonly toolName: string;
  /** `recall`, `search`, `inject`, `list`, or the tool's name made safe. */
  readonly operation: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** What the output is, in one line; only where somebody said. */
  readonly title?: string | undefined;
  readonly detail: DetailLevel;
  /** Size of the stored file in bytes, header line included. */
  readonly sizeBytes: number;
  /** Length of the header line with its line end, in bytes; 0 when there is none. */
  readonly headerBytes: number;
  /**
   * SHA-256 of the body without its header line, in hex: whoever fetches a body whole from another machine
   * compares. Absent where the body stays on this one.
   */
  readonly bodySha256?: string | undefined;
  /** Lines of the stored file, header line included. */
  readonly lineCount: number;
  /** Of all sets together. */
  readonly recordCount?: number | undefined;
  /** The record sets of a document that has several, or much beside its one; the largest first. */
  readonly sets?: readonly SetPlace[] | undefined;
  /** Tokens that the output would have cost inline. */
  readonly tokens: number;
  readonly tokensExact: boolean;
  readonly recipes: readonly Recipe[];
  /** Field names of the records, commonest first; helps to answer a wrong name. */
  readonly fields: readonly string[];
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; from then on the artifact is gone for every reader. */
  readonly expiresAt: number;
  /** SHA-256 of the session, in hex: what a drill-in's session is compared with. */
  readonly sessionKey: string;
  /** It stood whole in a conversation before: one call reads it whole, at its size. */
  readonly wasInline?: true | undefined;
  /** Nothing else holds it: no cap deletes it before its time. */
  readonly onlyCopy?: true | undefined;
  /** Ids of the stored outputs that it was made from, at most 32; absent for what a tool returned. */
  readonly derivedFrom?: readonly string[] | undefined;
  /** What a plug-in or the caller noted on the output. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Everything else that is known of it, for whoever has the key. Only the store below `encrypted()` has this. */
  readonly sealed?: SealedRecord | undefined;
}
