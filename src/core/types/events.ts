import type { StoredArtifact } from "./artifact.js";
import type { DescriptorForm } from "./result.js";

interface OfSession {
  /** SHA-256 of the session, in hex; absent if there is no session. */
  readonly sessionKey: string;
}

interface OfTool {
  readonly toolName: string;
  readonly toolCallId: string | undefined;
}

type Maybe<Part> = { readonly [Name in keyof Part]?: Part[Name] | undefined };

/** An event, for logs, metrics and tests. Sizes are in bytes, times in milliseconds. */
export type OffloadEvent =
  | {
      readonly type: "offloaded";
      readonly storedArtifact: StoredArtifact;
      readonly toolCallId?: string | undefined;
      /** The rule that applied, such as `threshold of 1600 tokens` or `turn budget of 4000 tokens`. */
      readonly reason: string;
      readonly form: DescriptorForm;
      readonly descriptorTokens: number;
      /** Tokens of the output less those of the descriptor. */
      readonly tokensSaved: number;
      /** Whether `storedArtifact.tokens` was counted in full or estimated from samples. */
      readonly tokensExact: boolean;
      /** The LRO specification's characters / 4, if they would have left it inline. */
      readonly byCharacters?: CharactersDecision;
      readonly durationMs: number;
    }
  | (OfSession &
      OfTool & {
        /** An output stayed inline that characters / 4 would have offloaded; the tokenizer counted fewer tokens. */
        readonly type: "kept-inline";
        readonly tokens: number;
        readonly byCharacters: CharactersDecision;
      })
  | (OfSession &
      OfTool & {
        /** The tool's own artifact of a stored output was too large for a checkpoint and was dropped. */
        readonly type: "artifact-left-out";
        /** Id of the stored output. */
        readonly artifactId: string;
      })
  | (OfSession & {
      readonly type: "drilled-in";
      /** The tool's name. */
      readonly tool: string;
      /** `undefined` if no artifact was found. */
      readonly artifactId: string | undefined;
      /** Other artifacts that the call read, as in a join, without duplicates; absent if there are none. */
      readonly otherArtifactIds?: readonly string[];
      readonly answerTokens: number;
      /** Whether the answer reports a failure instead of data. */
      readonly failed: boolean;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** Results left the context of a conversation. A line that says how to read it replaces each. */
      readonly type: "aged";
      readonly results: number;
      /** Ids in the lines, in order. */
      readonly artifactIds: readonly string[];
      /** Estimated tokens that the context lost. */
      readonly freedTokens: number;
    })
  | (OfSession & {
      /** An aged result was read back whole. A `drilled-in` event describes the call. */
      readonly type: "restored";
      readonly artifactId: string;
      /** Tokens that it adds to the context again. */
      readonly answerTokens: number;
    })
  | (OfSession & {
      readonly type: "referenced";
      /** The tool whose parameter got the data of a reference. */
      readonly toolName: string;
      readonly parameter: string;
      readonly artifactId: string | undefined;
      /** Size of the data, which no model saw. */
      readonly sizeBytes: number;
      /** Whether the model got an error and the tool was not called. */
      readonly failed: boolean;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** Code called or tried to call a tool of the agent. Sent once for each call. */
      readonly type: "tool-called";
      readonly toolName: string;
      /** `<parent>.<n>`, with n from 0 in the order of the code's calls. */
      readonly toolCallId: string;
      /** The model's call that runs the code. */
      readonly parentToolCallId: string;
      /**
       * `failed`: the tool threw. `refused`: it was not called, or its result was refused. `abandoned`: it was
       * called, but its end was not awaited.
       */
      readonly outcome: "returned" | "failed" | "refused" | "abandoned";
      readonly argumentBytes: number;
      /** Size of the code's result, which no model saw. */
      readonly resultBytes: number;
      /** Id of a large result that was stored. */
      readonly artifactId: string | undefined;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** The definitions of the drill-in tools in the model's input, as they are now. */
      readonly type: "tools-shown";
      /** Tokens that they and references in other tools add to each model call. */
      readonly definitionTokens: number;
    })
  | {
      readonly type: "expired";
      readonly specName: "OffloadFileExpired";
      readonly storedArtifact: StoredArtifact;
    }
  | {
      /** Deleted early, to stay within `retention.maxSessionBytes` or `retention.maxTotalBytes`. */
      readonly type: "evicted";
      readonly storedArtifact: StoredArtifact;
    }
  | {
      /** A model asked for an output whose file was deleted early by something else. */
      readonly type: "missing";
      readonly storedArtifact: StoredArtifact;
    }
  | (Maybe<OfSession> &
      OfTool & {
        readonly type: "write-failed";
        readonly specName: "OffloadWriteFailed";
        readonly store: string;
        /**
         * What the model got instead of a descriptor. `rejected`: nothing, because `put` reports the error to its
         * caller.
         */
        readonly fallback: "inline" | "truncated" | "rejected";
        readonly error: unknown;
      })
  | {
      /** An option names a tool that the agent does not have. */
      readonly type: "unknown-tool";
      /** Such as `exclude`, `references` or `code.tools`. */
      readonly option: string;
      readonly toolName: string;
    }
  | (Maybe<OfSession> &
      Maybe<OfTool> & {
        /** A function in the options threw or returned nothing usable; the default was used. */
        readonly type: "option-failed";
        readonly option: "access" | "describe.describer" | "fileName";
        readonly error: unknown;
      })
  | (Maybe<OfSession> &
      Maybe<OfTool> & {
        /**
         * A hook of a plugin threw, was late or returned nothing usable. If `clean` failed, the output is withheld.
         */
        readonly type: "plugin-failed";
        readonly plugin: string;
        readonly hook: string;
        readonly error: unknown;
      })
  | (Maybe<OfSession> & {
      /** An event of a plugin of your own. */
      readonly type: "plugin-event";
      readonly plugin: string;
      /** The plugin's name for the event. */
      readonly name: string;
      /** Plain JSON data. */
      readonly data?: unknown;
    })
  | (OfSession &
      OfTool & {
        readonly type: "truncated";
        /** The rule that applied, such as `threshold of 1600 tokens` or `turn budget of 4000 tokens`. */
        readonly reason: string;
        readonly totalTokens: number;
        readonly returnedTokens: number;
      });

/**
 * The decision by the LRO specification's heuristic.
 *
 * @source LRO specification, Threshold Detection: tokens ~ characters / 4.
 */
export interface CharactersDecision {
  /** UTF-16 units / 4, rounded up. */
  readonly tokens: number;
  /** Whether they are over the threshold. */
  readonly offloads: boolean;
}

export type OffloadListener = (event: OffloadEvent) => void;

/** Texts and arguments of an event that are not part of it. Plugins get them uncleaned. */
export interface EventDetail {
  /** The text that the model saw instead of an output. */
  readonly descriptor?: string;
  readonly toolCallId?: string | undefined;
  /** What the model passed to a drill-in, unchecked. */
  readonly args?: unknown;
  /** UTF-8 bytes of a drill-in's answer. */
  readonly answerBytes?: number;
  /** The lines that replace aged results, in the order of the event. */
  readonly lines?: readonly string[];
}

export type Notify = (event: OffloadEvent, detail?: EventDetail) => void;

/** Calls a listener without waiting for it. */
export function emit<Told>(
  listener: ((told: Told) => unknown) | undefined,
  told: Told,
  failed: (error: unknown) => void = () => {},
): void {
  // A fault in a listener must not fail a tool call, nor end the process.
  void (async () => listener?.(told))().catch(failed);
}
