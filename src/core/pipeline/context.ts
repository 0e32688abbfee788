import type { OwnDrillIn } from "../drill-in/drill-in.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { ResolvedOffloadOptions, ResolvedToolOptions } from "../options/options.js";
import type { PluginHost } from "../plugin-host/plugin-host.js";
import type { Lifetime } from "../store/lifetime.js";
import type { Notify } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { StatsCounter } from "./observe/stats.js";
import type { RepeatedOutputs } from "./repeated-outputs.js";

/** What the stages of one offloader share. */
export interface PipelineContext {
  readonly options: ResolvedOffloadOptions;
  readonly optionsOf: (output: ToolOutput) => ResolvedToolOptions;
  readonly host: PluginHost;
  readonly measure: TokenMeasure;
  readonly count: (text: string) => Promise<number>;
  readonly notify: Notify;
  readonly stats: StatsCounter;
  readonly lifetime: Lifetime;
  readonly drillIn: OwnDrillIn;
  readonly repeated: RepeatedOutputs;
}
