import type { StoredArtifact } from "./artifact.js";

/**
 * Forms of the library's own descriptors. The first three are those of the LRO specification and shorter variants,
 * `text` is for outputs without records, `media` for images and other files; the others come from presets.
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

/** A form of the library, or the name that your describer gives its own. */
export type DescriptorForm = OwnForm | (string & {});

/** What the model sees instead of the output. */
export interface Descriptor {
  readonly form: DescriptorForm;
  /** Forms of the library are JSON text, equal for equal outputs except for path and id. */
  readonly text: string;
  /** Tokens of `text`. */
  readonly tokens: number;
}

export interface OwnDescriptor extends Descriptor {
  readonly form: OwnForm;
}

/** A plugin's addition to a descriptor. */
export interface DescriptorPart {
  /** One or two sentences of at most 240 characters, for the guidance. */
  readonly guidance?: string;
}

/** Names of the agent's drill-in tools; guidance mentions no others. */
export interface DrillInToolNames {
  readonly read?: string | undefined;
  readonly grep?: string | undefined;
  readonly jq?: string | undefined;
  readonly sql?: string | undefined;
  /** Tools of plugins, by key. */
  readonly [key: string]: string | undefined;
}

interface BesideText {
  /** Images and files beside the text that were stored separately; absent if there are none. */
  readonly media?: readonly StoredArtifact[] | undefined;
  /** The cleaned artifact of the tool; the key is absent if it is unchanged. */
  readonly artifact?: unknown;
}

/** An output that was stored. */
export interface OffloadedOutput extends BesideText {
  readonly outcome: "offloaded";
  /** The descriptor's text: the new content of the tool message. */
  readonly text: string;
  readonly descriptor: Descriptor;
  readonly storedArtifact: StoredArtifact;
  /** Images and files beside the text. */
  readonly keptBlocks: readonly unknown[];
}

/** One of several outputs whose stream threw or was aborted. */
export interface FailedOutput {
  readonly outcome: "failed";
  /** What the stream threw, or the reason of the signal. */
  readonly error: unknown;
}

/** The result for one tool output. */
export type OffloadResult =
  | OffloadedOutput
  | (BesideText & {
      readonly outcome: "inline";
      readonly value: unknown;
      /** The wrapped text; absent if the value is unchanged. */
      readonly text?: string | undefined;
      readonly keptBlocks?: readonly unknown[] | undefined;
    })
  | (BesideText & {
      readonly outcome: "truncated";
      /** The output cut to the threshold, with a warning that says what is missing. */
      readonly text: string;
      readonly keptBlocks: readonly unknown[];
      /** Why it could not be stored; `undefined` if it was to be cut. */
      readonly error: unknown;
    });
