import type { HeldStream } from "../content/stream/held-stream.js";
import type { InlineLimits } from "../decide/gate.js";
import type { OffloadListener } from "../events.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { Measurement, ToolOutput } from "../types.js";

/** An output on its way. */
export interface WalkedOutput {
  readonly output: ToolOutput;
  readonly options: ResolvedToolOptions;
  /** Tells all listeners. */
  readonly notify: OffloadListener;
  /** A stream of which the output's value is the beginning, or does not tell all. */
  readonly rest?: HeldStream | undefined;
  /** Nothing stands in for it where it cannot be stored: the walk rejects. */
  readonly orThrow?: true | undefined;
}

/** An output on its way, once it is known to leave the context. */
export interface LargeOutput extends WalkedOutput {
  readonly text: string;
  readonly keptBlocks: readonly unknown[];
  readonly measurement: Measurement;
  readonly limits: InlineLimits;
  /** Which rule made it leave. */
  readonly reason: string;
  /** What it costs inline, when it may stay there unless something is saved. */
  readonly inlineTokens?: number | undefined;
}
