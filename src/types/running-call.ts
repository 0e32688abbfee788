import type { OffloadListener } from "../events.js";
import type { Access } from "./access.js";
import type { MediaKind } from "./media.js";
import type { ConversationSize, TurnSeat } from "./output.js";

/**
 * The call that is running: who makes it, and what it may read. Each way in makes one, and whatever reads, stores or resolves for
 * the call is given it.
 */
export interface RunningCall {
  /** The session; `undefined` where the call has only the hash of one. */
  readonly sessionId?: string | undefined;
  /** The hashed session: what the call stores belongs to it, and it is looked in first. */
  readonly scope: string;
  /**
   * The hashed session in which an output that the call names is looked for, where one conversation has outputs of several.
   * Default: `scope`.
   *
   * @param reference - What the output is called by, unchecked.
   */
  readonly scopeOf?: ((reference: string) => string | Promise<string>) | undefined;
  /** Asked for what is not there. */
  readonly access?: Access | undefined;
  /** Why outputs may be out of reach here; an answer says it of one that is not there. */
  readonly ifNotFound?: string | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** The id by which the model made the call, and what it has in common with the others of its turn. */
  readonly toolCallId?: string | undefined;
  readonly turn?: string | undefined;
  /** Calls of the same turn, this one among them: they share its budget, and what the context window has left. Default: 1. */
  readonly turnCalls?: number | undefined;
  /** Where it waits for the others of its turn. */
  readonly seat?: TurnSeat | undefined;
  /** The tool that the call is of. */
  readonly toolName?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The tool's `metadata`, and what overrides the options for this call. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly overrides?: unknown;
  /** The conversation that the answer would join: no answer is longer than what its window has left. */
  readonly conversation?: ConversationSize | undefined;
  /** What the model takes beside text; `undefined` where nobody knows. */
  readonly views?: readonly MediaKind[] | undefined;
  /** Told of what the call does, beside those who always are. */
  readonly onEvent?: OffloadListener | undefined;
}
