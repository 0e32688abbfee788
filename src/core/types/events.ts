import type { StoredArtifact } from "./artifact.js";
import type { DescriptorForm } from "./result.js";

interface OfSession {
  /** SHA-256 of the session, in hex; where nobody has one, it is absent. */
  readonly sessionKey: string;
}

interface OfTool {
  readonly toolName: string;
  readonly toolCallId: string | undefined;
}

type Maybe<Part> = { readonly [Name in keyof Part]?: Part[Name] | undefined };

/** What happened, for logs, metrics and tests. Sizes are bytes, times are milliseconds. */
export type OffloadEvent =
  | {
      readonly type: "offloaded";
      readonly storedArtifact: StoredArtifact;
      readonly toolCallId?: string | undefined;
      /** Which rule made it leave, such as `threshold of 1600 tokens` or `turn budget of 4000 tokens`. */
      readonly reason: string;
      readonly form: DescriptorForm;
      readonly descriptorTokens: number;
      /** Tokens of the output less those of the descriptor. */
      readonly tokensSaved: number;
      /** Whether `storedArtifact.tokens` was counted in full or estimated from samples. */
      readonly tokensExact: boolean;
      /** What the LRO specification's characters / 4 say, where they would have left it inline. */
      readonly byCharacters?: CharactersDecision;
      readonly durationMs: number;
    }
  | (OfSession &
      OfTool & {
        /** An output stayed that characters / 4 would have offloaded: the tokenizer found fewer tokens. */
        readonly type: "kept-inline";
        readonly tokens: number;
        readonly byCharacters: CharactersDecision;
      })
  | (OfSession &
      OfTool & {
        /** A tool's own artifact, beside an output that was stored, was too large for a checkpoint and is gone. */
        readonly type: "artifact-left-out";
        /** Of the output. */
        readonly artifactId: string;
      })
  | (OfSession & {
      readonly type: "drilled-in";
      /** The tool's name. */
      readonly tool: string;
      /** `undefined` when no artifact was found. */
      readonly artifactId: string | undefined;
      /** Artifacts that the call read beside it, as in a join, each once; absent without any. */
      readonly otherArtifactIds?: readonly string[];
      readonly answerTokens: number;
      /** Whether the answer says what went wrong instead of giving data. */
      readonly failed: boolean;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** Results have left the context of a conversation, each behind a line that says how to read it. */
      readonly type: "aged";
      readonly results: number;
      /** What the lines name, in order. */
      readonly artifactIds: readonly string[];
      /** What the context is smaller by, estimated. */
      readonly freedTokens: number;
      /** What stands from the first of them on, which a provider's prompt cache writes again, estimated. */
      readonly rewrittenTokens: number;
      /** Calls of the model after which that has paid, at the usual prices of a cache; 0 for a cache that was cold. */
      readonly breakEvenCalls: number;
    })
  | (OfSession & {
      /** A result that had left the context was read back whole; a `drilled-in` event tells of the call itself. */
      readonly type: "restored";
      readonly artifactId: string;
      /** What it adds to the context again. */
      readonly answerTokens: number;
    })
  | (OfSession & {
      readonly type: "referenced";
      /** The tool that was given the data in place of a reference, and its parameter. */
      readonly toolName: string;
      readonly parameter: string;
      readonly artifactId: string | undefined;
      /** Size of the data, which no model saw. */
      readonly sizeBytes: number;
      /** Whether the model was told what is wrong, and the tool was not called. */
      readonly failed: boolean;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** Code called a tool of the agent, or wanted to. Told once of each call. */
      readonly type: "tool-called";
      readonly toolName: string;
      /** `<parent>.<n>`, with n from 0 in the order of the code's calls. */
      readonly toolCallId: string;
      /** The model's call of the code. */
      readonly parentToolCallId: string;
      /**
       * `failed`: the tool threw; `refused`: it was not called, or its result not taken; `abandoned`: it was called, and
       * nobody waited for the end.
       */
      readonly outcome: "returned" | "failed" | "refused" | "abandoned";
      readonly argumentBytes: number;
      /** What the code got, which no model saw. */
      readonly resultBytes: number;
      /** Under which a large result was stored. */
      readonly artifactId: string | undefined;
      readonly durationMs: number;
    })
  | (OfSession & {
      /** The definitions of the drill-in tools stand in the model's input, as they now are. */
      readonly type: "tools-shown";
      /** Tokens that they add to each call of the model, and what references add to other tools. */
      readonly definitionTokens: number;
    })
  | {
      readonly type: "expired";
      readonly specName: "OffloadFileExpired";
      readonly storedArtifact: StoredArtifact;
    }
  | {
      /** Deleted before its time, to stay within `retention.maxSessionBytes` or `retention.maxTotalBytes`. */
      readonly type: "evicted";
      readonly storedArtifact: StoredArtifact;
    }
  | {
      /** A model asked for an output that is gone before its time: somebody else has deleted its file. */
      readonly type: "missing";
      readonly storedArtifact: StoredArtifact;
    }
  | (Maybe<OfSession> &
      OfTool & {
        readonly type: "write-failed";
        readonly specName: "OffloadWriteFailed";
        readonly store: string;
        /** What the model got instead of a descriptor; `rejected`: nothing, `put` told its caller. */
        readonly fallback: "inline" | "truncated" | "rejected";
        readonly error: unknown;
      })
  | {
      /** An option names a tool that the agent has not. */
      readonly type: "unknown-tool";
      /** Such as `exclude`, `references` or `code.tools`. */
      readonly option: string;
      readonly toolName: string;
      /** What may be meant, nearest first, at most three. */
      readonly nearest: readonly string[];
    }
  | (Maybe<OfSession> &
      Maybe<OfTool> & {
        /** A function of the options threw or gave nothing usable; the default stood in for it. */
        readonly type: "option-failed";
        readonly option: "access" | "describe.describer" | "fileName";
        readonly error: unknown;
      })
  | (Maybe<OfSession> &
      Maybe<OfTool> & {
        /** A hook of a plug-in threw, was late or gave nothing usable. Where `clean` failed, the output is withheld. */
        readonly type: "plugin-failed";
        readonly plugin: string;
        readonly hook: string;
        readonly error: unknown;
      })
  | (Maybe<OfSession> & {
      /** What a plug-in of your own tells. */
      readonly type: "plugin-event";
      readonly plugin: string;
      /** What happened, in a word of the plug-in. */
      readonly name: string;
      /** Plain JSON data. */
      readonly data?: unknown;
    })
  | (OfSession &
      OfTool & {
        readonly type: "truncated";
        /** Which rule made it leave, such as `threshold of 1600 tokens` or `turn budget of 4000 tokens`. */
        readonly reason: string;
        readonly totalTokens: number;
        readonly returnedTokens: number;
      });

/**
 * An output as the LRO specification's heuristic sees it.
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

/** Texts and arguments that belong to an event and are not part of it: plug-ins hear of them, uncleaned. */
export interface EventDetail {
  /** What the model saw in place of an output. */
  readonly descriptor?: string;
  readonly toolCallId?: string | undefined;
  /** What the model passed to a drill-in, unchecked. */
  readonly args?: unknown;
  /** UTF-8 bytes of a drill-in's answer. */
  readonly answerBytes?: number;
  /** What the model sees in place of each result that left, in the order in which the event names them. */
  readonly lines?: readonly string[];
}

export type Notify = (event: OffloadEvent, detail?: EventDetail) => void;

/**
 * Tells a listener and waits for nothing. One that throws, or whose promise rejects, changes nothing.
 */
export function emit<Told>(listener: ((told: Told) => void) | undefined, told: Told): void {
  try {
    const returned: unknown = listener?.(told);
    // A rejection that nobody hears of would end the process.
    if (isThenable(returned)) returned.then(undefined, () => {});
  } catch {
    // A fault in somebody's logging must not cost a tool call.
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function"
  );
}
