import type { Turns } from "../decide/turn/turn-barrier.js";
import type { DrillIn } from "../drill-in/drill-in.js";
import { refuseOptions } from "../types/errors.js";
import type { Notify, OffloadListener } from "../types/events.js";
import type { Stats } from "./observe/stats.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import type { CoreParts, PluginHost } from "../plugin-host/plugin-host.js";
import type { SessionTool } from "./session-tools.js";
import type { Put } from "./put-options.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { AccessOf } from "../types/access.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ToolOutput } from "../types/output.js";
import type { FailedOutput, OffloadResult } from "../types/result.js";

/** Offloads tool outputs and gives access to the stored ones. */
export interface Offloader {
  /**
   * Offloads one tool output. A small output is returned unchanged; a large one is stored and returned as a
   * descriptor. If an output cannot be stored, it is cut to the threshold and the listeners are informed. The same
   * output of the same tool and session gives the same artifact while that exists, in this process.
   *
   * A stream is read here; as a value it is the joined text, or the JSON array of its records. Never rejects, except
   * with what a stream throws and with the signal's reason, which are faults of the tool.
   *
   * @param onEvent - Listens to events of this output, in addition to the offloader's own listener.
   */
  readonly offload: (output: ToolOutput, onEvent?: OffloadListener) => Promise<OffloadResult>;
  /**
   * Offloads all outputs of one turn, which share `turnBudget`. Results are in the same order. Without that option it
   * calls `offload` for each. A stream that throws fails alone. Never rejects.
   */
  readonly offloadAll: (
    outputs: readonly ToolOutput[],
    onEvent?: OffloadListener,
  ) => Promise<readonly (OffloadResult | FailedOutput)[]>;
  /**
   * Stores a value of any size and returns the descriptor's text for a model and the artifact for code. `enabled`,
   * `include`, `exclude` and limits are ignored. The same value with the same title gives the same artifact, as for
   * tool outputs.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED` when it cannot be stored or a plugin refuses it, and
   * `INVALID_ARGUMENTS` when an option is wrong or the value has no text; what a stream throws.
   */
  readonly put: Put;
  /**
   * The drill-in tools for a loop of your own. Give `name`, `description` and `parameters` to your model, and pass
   * its calls to `run`. They read what `offload` and `put` stored for this session, and what `access` allows.
   *
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when `sessionId` is empty or no text.
   */
  readonly tools: (sessionId: string) => readonly SessionTool[];
  /** Reads stored outputs for the model. */
  readonly drillIn: DrillIn;
  readonly store: ArtifactStore;
  /** Effective options, with defaults. */
  readonly options: ResolvedOffloadOptions;
  /** Running totals of one session, or of all. */
  stats(sessionId?: string): Stats;
  /** Deletes expired artifacts and returns them. */
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Deletes the artifacts of a session and returns them. */
  endSession(sessionId: string): Promise<readonly StoredArtifact[]>;
  /** Stops the workers and the sweep's timer. Stored artifacts stay until they expire. */
  close(): Promise<void>;
}

export interface Internals {
  readonly turns: Turns;
  readonly toolsShown: (sessionId: string, definitionTokens: number) => void;
  /** `false` if a rule throws. */
  readonly admits: (output: ToolOutput) => boolean;
  readonly host: PluginHost;
  readonly notify: Notify;
  readonly core: CoreParts;
  readonly accessOf: AccessOf;
}

export const INTERNALS: unique symbol = Symbol.for("langchain-offload.internals");

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for an object that `createOffloader` did not make. */
export function internals(offloader: Offloader): Internals {
  const { [INTERNALS]: own } = offloader as Offloader & { readonly [INTERNALS]?: Internals };
  if (own !== undefined) return own;
  return refuseOptions(
    "`offloader` was not made by createOffloader. Make it with that, or copy all of it.",
  );
}
