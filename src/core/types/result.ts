import type { StoredArtifact } from "./artifact.js";

/**
 * The forms of the library's own descriptors. The first four are those of the LRO specification and its shorter
 * kin, `text` for outputs without records, `media` for images and other files; the others are those of other published designs.
 */
export type OwnForm =
  | "full"
  | "generic"
  | "bare"
  | "text"
  | "media"
  | "envelope"
  | "file-reference"
  | "message";

/** The form of a descriptor: one of the library's, or the name that a describer of yours gives its own. */
export type DescriptorForm = OwnForm | (string & {});

/** What the model sees instead of the output. */
export interface Descriptor {
  readonly form: DescriptorForm;
  /** Of the library's own: JSON text, byte-stable for equal outputs but for the path and the id. */
  readonly text: string;
  /** Tokens of `text`. */
  readonly tokens: number;
}

export interface OwnDescriptor extends Descriptor {
  readonly form: OwnForm;
}

/** What a plug-in adds to a descriptor. */
export interface DescriptorPart {
  /** One or two sentences of at most 240 characters, for the guidance. */
  readonly guidance?: string;
}

/** Names of the drill-in tools that this agent has; guidance speaks of no other. */
export interface DrillInToolNames {
  readonly read?: string | undefined;
  readonly grep?: string | undefined;
  readonly jq?: string | undefined;
  readonly sql?: string | undefined;
  /** Of a plug-in, by its key. */
  readonly [key: string]: string | undefined;
}

/** An output that was stored. */
export interface OffloadedOutput {
  readonly outcome: "offloaded";
  /** The descriptor's text: the new content of the tool message. */
  readonly text: string;
  readonly descriptor: Descriptor;
  readonly storedArtifact: StoredArtifact;
  /** Images and files that stood beside the text. */
  readonly keptBlocks: readonly unknown[];
  /** Images and files that stood beside the text and were stored, each for itself; absent without any. */
  readonly media?: readonly StoredArtifact[] | undefined;
  /** The output's own artifact as `redact` leaves it; the key is absent where it stays. */
  readonly artifact?: unknown;
}

/** One of several outputs that its tool did not finish: its stream threw, or was aborted. */
export interface FailedOutput {
  readonly outcome: "failed";
  /** What the stream threw, or the reason of the signal. */
  readonly error: unknown;
}

/** What became of a tool output. */
export type OffloadResult =
  | {
      readonly outcome: "inline";
      readonly value: unknown;
      /** The value as a preset wraps it; absent when it is passed on unchanged. */
      readonly text?: string | undefined;
      readonly keptBlocks?: readonly unknown[] | undefined;
      readonly media?: readonly StoredArtifact[] | undefined;
      /** As of one that is stored. */
      readonly artifact?: unknown;
    }
  | OffloadedOutput
  | {
      readonly outcome: "truncated";
      /** The output cut to the threshold, with a warning that says what is missing. */
      readonly text: string;
      readonly keptBlocks: readonly unknown[];
      readonly media?: readonly StoredArtifact[] | undefined;
      /** Why it could not be stored; `undefined` when it was to be cut. */
      readonly error: unknown;
      /** As of one that is stored. */
      readonly artifact?: unknown;
    };
