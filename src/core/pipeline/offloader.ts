import type { Turns } from "../decide/turn/turn-barrier.js";
import type { DrillIn, OwnDrillIn } from "../drill-in/drill-in.js";
import { OffloadError } from "../types/errors.js";
import type { Notify, OffloadListener } from "../types/events.js";
import type { Lifetime } from "../store/lifetime.js";
import type { Stats } from "./observe/stats.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import type { CoreParts, PluginHost } from "../plugin-host/plugin-host.js";
import type { SessionTool } from "./loop/session-tools.js";
import type { Put } from "./put-options.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { AccessOf } from "../types/access.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ToolOutput } from "../types/output.js";
import type { FailedOutput, OffloadResult } from "../types/result.js";

/** The runPipeline for tool outputs, and what belongs to it. */
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
  readonly offload: (output: ToolOutput, onEvent?: OffloadListener) => Promise<OffloadResult>;
  /**
   * Walks all outputs of one turn, which share `turnBudget` whole; the results are in their order.
   * Without that option it is `offload` for each. A stream that throws fails alone. Never rejects.
   */
  readonly offloadAll: (
    outputs: readonly ToolOutput[],
    onEvent?: OffloadListener,
  ) => Promise<readonly (OffloadResult | FailedOutput)[]>;
  /**
   * Stores a value whatever its size, and gives what stands for it: the descriptor's text for a model, the stored
   * artifact for code. `enabled`, `include`, `exclude` and limits do not matter. The same value with the same title comes
   * back as the same artifact, as it does for tool outputs.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED` when it cannot be stored or a plug-in refuses it, and
   * `INVALID_ARGUMENTS` when an option is wrong or the value has no text; what a stream throws.
   */
  readonly put: Put;
  /**
   * The drill-in tools for a loop of your own: give `name`, `description` and `parameters` to your model, and its calls
   * of these names to `run`. They read what `offload` and `put` stored for this session, and what `access` allows.
   *
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when `sessionId` is empty or no text.
   */
  readonly tools: (sessionId: string) => readonly SessionTool[];
  /** Reads stored outputs for the model. */
  readonly drillIn: DrillIn;
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

export interface Internals {
  readonly turns: Turns;
  readonly toolsShown: (sessionId: string, definitionTokens: number) => void;
  /** Whether a result may be stored at all, as `enabled`, `include` and `exclude` say. @throws what a rule throws */
  readonly admits: (output: ToolOutput) => boolean;
  readonly host: PluginHost;
  readonly notify: Notify;
  readonly core: CoreParts;
  readonly accessOf: AccessOf;
  readonly report: OwnDrillIn["report"];
  /** Notes that something else reads an artifact, whose life may be longer for it. Never rejects. */
  readonly used: Lifetime["used"];
}

const INTERNALS: unique symbol = Symbol.for("langchain-offload.internals");

export function withInternals(offloader: Offloader, own: Internals): Offloader {
  return Object.assign(offloader, { [INTERNALS]: own });
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for what `createOffloader` has not made. */
export function internals(offloader: Offloader): Internals {
  const { [INTERNALS]: own } = offloader as Offloader & { readonly [INTERNALS]?: Internals };
  if (own !== undefined) return own;
  throw new OffloadError(
    "INVALID_OPTIONS",
    "`offloader` was not made by createOffloader. Make it with that, or copy all of it.",
  );
}
