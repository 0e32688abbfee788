import type { ContentKind, Layout, SetPlace } from "./content.js";
import type { StoredMedia } from "./media.js";

/** A ready-made query over the records, numbered from 1 by its place in the list. */
export interface Recipe {
  readonly description: string;
  /** The jq filter; parameters appear as jq variables. */
  readonly filter: string;
  /** Runs over all records as one array (`jq -s`). */
  readonly slurp: boolean;
  /** Prints strings without quotes (`jq -r`). */
  readonly raw: boolean;
  /** Variables of the filter with their default values. */
  readonly params: Readonly<Record<string, string | number>>;
  /** The shell command's filter if it differs from `filter` (values instead of variables). */
  readonly shellFilter?: string | undefined;
}

/** MIF detail level of the stored records; `full` for other data. */
export type DetailLevel = "light" | "medium" | "full";

/** The part of an artifact that a message carries. Only drill-ins need the rest. */
export type CarriedArtifact = Omit<StoredArtifact, "recipes" | "fields"> & {
  /** The tool's own artifact, up to about 4 KB; absent if it was larger or there was none. */
  readonly toolArtifact?: unknown;
  /** The tool's artifact was larger and was not kept. */
  readonly toolArtifactLeftOut?: true | undefined;
};

/** The record of an encrypted output. Bytes are base64. */
interface SealedRecord {
  /** Identifies the key, which is not stored. */
  readonly keyId: string;
  /** Salt of the output's own key, which is derived from that key. */
  readonly salt: string;
  readonly record: string;
}

/** A stored tool output, as plain JSON data. A store keeps it beside the body. */
export interface StoredArtifact {
  /** ULID; unguessable, and useless outside its session. */
  readonly id: string;
  readonly fileName: string;
  /** Absolute path; `undefined` if the store has no local files. */
  readonly filePath?: string | undefined;
  readonly kind: ContentKind;
  readonly layout: Layout;
  /** Set for a table in which quotes are ordinary characters. */
  readonly literalQuotes?: true | undefined;
  /** Facts about the bytes, if they came as an image, a sound, a document or another file. */
  readonly media?: StoredMedia | undefined;
  readonly toolName: string;
  /** `recall`, `search`, `inject`, `list`, or a safe form of the tool's name. */
  readonly operation: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** One line that describes the output, if given. */
  readonly title?: string | undefined;
  readonly detail: DetailLevel;
  /** Size of the stored file in bytes, header line included. */
  readonly sizeBytes: number;
  /** Length of the header line with its line end, in bytes; 0 without one. */
  readonly headerBytes: number;
  /**
   * SHA-256 of the body without its header line, in hex, to verify bodies that are fetched from another machine.
   * Absent if the body stays on this one.
   */
  readonly bodySha256?: string | undefined;
  /** Lines of the stored file, header line included. */
  readonly lineCount: number;
  /** Sum over all sets. */
  readonly recordCount?: number | undefined;
  /** It is one page of more, or a stream that was cut off. */
  readonly partial?: true | undefined;
  /** The record sets of a document with several sets, or with much besides its one set; the largest first. */
  readonly sets?: readonly SetPlace[] | undefined;
  /** Tokens that the output would have cost inline. */
  readonly tokens: number;
  readonly tokensExact: boolean;
  readonly recipes: readonly Recipe[];
  /** Field names of the records, most frequent first; used to correct wrong names. */
  readonly fields: readonly string[];
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; from then on no reader gets the artifact. */
  readonly expiresAt: number;
  /** Its lifetime in milliseconds, if that is not its tool's. */
  readonly lifeMs?: number | undefined;
  /** SHA-256 of the session, in hex. A drill-in must have the same. */
  readonly sessionKey: string;
  /** The output was inline before: one call reads it whole. */
  readonly wasInline?: true | undefined;
  /** This is the only copy: no cap deletes it before its time. */
  readonly onlyCopy?: true | undefined;
  /** Ids of the stored outputs that it was made from, at most 32; absent for tool outputs. */
  readonly derivedFrom?: readonly string[] | undefined;
  /** Notes of a plugin or the caller. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** The encrypted rest of the record. Only the store below `encrypted()` has this. */
  readonly sealed?: SealedRecord | undefined;
}
