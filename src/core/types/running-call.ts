import type { OffloadListener } from "./events.js";
import type { Access } from "./access.js";
import type { ToolOutput } from "./output.js";

/**
 * The call that is running: who makes it, and what it may read. Each way in makes one, and whatever reads, stores or resolves for
 * the call is given it.
 */
export interface RunningCall
  extends
    Partial<Pick<ToolOutput, "sessionId" | "toolName">>,
    Pick<
      ToolOutput,
      | "args"
      | "conversation"
      | "metadata"
      | "overrides"
      | "slot"
      | "signal"
      | "toolCallId"
      | "turn"
      | "turnCalls"
    > {
  /** The hashed session: what the call stores belongs to it, and it is looked in first. */
  readonly sessionKey: string;
  /**
   * The hashed session in which an output that the call names is looked for, where one conversation has outputs of several.
   * Default: `sessionKey`.
   *
   * @param reference - What the output is called by, unchecked.
   */
  readonly sessionKeyOf?: ((reference: string) => string | Promise<string>) | undefined;
  /** Asked for what is not there. */
  readonly access?: Access | undefined;
  /** Why outputs may be out of reach here; an answer says it of one that is not there. */
  readonly ifNotFound?: string | undefined;
  /** What plug-ins keep with this call alone. */
  readonly state?: ReadonlyMap<string, unknown> | undefined;
  /** Told of what the call does, beside those who always are. */
  readonly onEvent?: OffloadListener | undefined;
}
