import type { StoredArtifact } from "../../../core/types/artifact.js";

/** The call that a result answers. */
export interface AnsweredToolCall {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** The same for the same call: a result that is fetched twice is stored once. */
  readonly callId: string;
  readonly sessionId: string;
  /** JSON of a block that points to what was stored, for clients that take one. */
  readonly link?: ((artifact: StoredArtifact) => string | undefined) | undefined;
}
