import type { ScopeOptions } from "./decide/scope.js";
import type { DescribeOptions } from "./describe/describe.js";
import type { DrillInLimits } from "./drill-in/limits.js";
import type { OffloadListener } from "./events.js";
import type { MeasureOptions } from "./measure/measure.js";
import type { ArtifactStore } from "./store/artifact-store.js";

// (to be completed by the lead: OffloadOptions, resolveOptions)
export interface OffloadOptions {
  readonly enabled?: boolean;
  readonly measure?: MeasureOptions;
  readonly decide?: { readonly threshold?: { readonly tokens: number } };
  readonly store?: ArtifactStore;
  readonly describe?: DescribeOptions;
  readonly drillIn?: Partial<DrillInLimits> | false;
  readonly retention?: { readonly ttlMs?: number };
  readonly scope?: ScopeOptions;
  readonly onEvent?: OffloadListener;
}
