import type { OffloadListener } from "./events.js";
import type { StoredArtifact } from "./artifact.js";
import type { Access } from "./access.js";
import type { ToolOutput } from "./output.js";

/** Who makes a call, and what it may read. Everything that reads or stores for the call gets this. */
export interface RunningCall extends Partial<
  Pick<
    ToolOutput,
    | "sessionId"
    | "toolName"
    | "args"
    | "conversation"
    | "metadata"
    | "overrides"
    | "slot"
    | "signal"
    | "toolCallId"
    | "turn"
    | "turnCalls"
  >
> {
  /** The hashed session, which owns what the call stores and is searched first. */
  readonly sessionKey: string;
  /**
   * The id and hashed session of an output that the call names. Default: as named, in `sessionKey`.
   *
   * @param reference - The output's name, unchecked.
   */
  readonly placeOf?:
    | ((reference: string) => Promise<Pick<StoredArtifact, "id" | "sessionKey">>)
    | undefined;
  /** Finds outputs of other sessions. */
  readonly access?: Access | undefined;
  /** State of plugins for this call. */
  readonly state?: ReadonlyMap<string, unknown> | undefined;
  /** Listens to events of this call, in addition to the usual listeners. */
  readonly onEvent?: OffloadListener | undefined;
}
