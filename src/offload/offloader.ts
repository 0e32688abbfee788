import type { Turns } from "../decide/turn/turn-meeting.js";
import type { DrillIn } from "../drill-in/drill-in.js";
import type { OffloadListener } from "../events.js";
import type { Stats } from "../observe/stats.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import type { ResolveReference } from "../references/resolve.js";
import type { Put } from "./enter/put.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ToolOutput } from "../types/output.js";
import type { FailedOutput, OffloadResult } from "../types/result.js";

/** The walk for tool outputs, and what belongs to it. */
export interface Offloader {
  /**
   * Walks one tool output: small ones come back as the same value, large ones are stored and come
   * back as a descriptor. Never rejects: when an output cannot be stored, it comes back cut to the
   * threshold, and the listeners hear of it. The same output of the same tool and session comes back
   * as the same artifact while that is there, in this process.
   *
   * A stream is read here: as a value it is the joined text or the JSON array of its records. It
   * rejects with what the stream throws, and with the signal's reason, as a tool's fault.
   *
   * @param onEvent - Told of what happens to this output, beside the offloader's own listener.
   */
  offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult>;
  /**
   * Walks all outputs of one turn, which share `decide.turnBudget` whole; the results are in their order.
   * Without that option it is `offload` for each. A stream that throws fails alone. Never rejects.
   */
  offloadAll(
    outputs: readonly ToolOutput[],
    onEvent?: OffloadListener,
  ): Promise<readonly (OffloadResult | FailedOutput)[]>;
  /** Tells what the definitions of this library's tools add to a session's model calls; for adapters. */
  toolsShown(sessionId: string, definitionTokens: number): void;
  /** Where outputs of one turn wait for each other; for adapters. */
  readonly turns: Turns;
  /**
   * Stores a value whatever its size, and gives what stands for it: the descriptor's text for a model, the stored
   * artifact for code. `enabled`, `scope` and `decide` do not matter. The same value with the same title comes
   * back as the same artifact, as it does for tool outputs.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED` when it cannot be stored, and
   * `INVALID_ARGUMENTS` when an option is wrong or the value has no text; what a stream throws.
   */
  readonly put: Put;
  /** Reads stored outputs for the model. */
  readonly drillIn: DrillIn;
  /** Gives a tool the data of a reference; for adapters. */
  readonly resolve: ResolveReference;
  readonly store: ArtifactStore;
  /** What is effective after defaults. */
  readonly options: ResolvedOffloadOptions;
  /** Running totals of one session, or of all without one. */
  stats(sessionId?: string): Stats;
  /** Deletes what has expired, and returns it. */
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Deletes what a session has stored, and returns it. */
  endSession(sessionId: string): Promise<readonly StoredArtifact[]>;
  /** Ends the workers and the sweep's timer. What is stored stays until it expires. */
  close(): Promise<void>;
}
