import type { AgingOptions, ResolvedAgingOptions } from "../aging/aging-options.js";
import type { EffectiveSettings } from "./apply-settings.js";
import type { ConfigOptions } from "./read-settings.js";
import type { DecideOptions } from "../decide/decide.js";
import type { Gate } from "../decide/gate.js";
import type { Size } from "../decide/gates/threshold.js";
import type { ScopeOptions } from "../decide/scope.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import type { DescribeStageOptions } from "../describe/stage-options.js";
import type { DrillInLimits } from "../drill-in/shared/limits.js";
import type { SqlEngineStarter } from "../drill-in/sql/request.js";
import type { ToolShape } from "../drill-in/tool-shape.js";
import type { ReferenceOptions } from "../describe/references.js";
import type { SpoolOptions } from "../drill-in/engine/body-cache.js";
import type { DrillInOptions } from "../drill-in/stage-options.js";
import type { OffloadListener } from "../events.js";
import type { RetentionOptions, StorageCap } from "../lifecycle/retention-options.js";
import type { MeasureOptions } from "../measure/measure.js";
import type { StreamOptions } from "../content/stream/output-stream.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileEncoding } from "../store/body/encode.js";
import type { NameRule } from "../store/name-rules.js";
import type { ToolOutput } from "../types/output.js";
import type { DrillInToolNames } from "../types/result.js";

export type { DescribeStageOptions } from "../describe/stage-options.js";
export type { DrillInOptions } from "../drill-in/stage-options.js";

/**
 * What a tool can have of its own. For one tool of an agent, each part stands in for the agent's. In
 * `decide`, a part without a limit has the agent's limits, and an empty one the threshold of `config`
 * or else the default; the context window is the agent's unless it is given.
 */
export interface ToolOptions {
  /** With `false` every output stays inline. @defaultValue `true` */
  readonly enabled?: boolean;
  /**
   * Largest output that stays, `{ tokens }` or `{ bytes }`; one of exactly this size stays. It is `decide.threshold`
   * under a shorter name: only one of them may be given. For one tool it changes nothing else of `decide`.
   *
   * @defaultValue `{ tokens: 1600 }`
   */
  readonly threshold?: Size;
  /**
   * The whole of a result set of which a tool's answer is what a budget left, such as that behind
   * `inject_context`: it is judged and stored in place of the answer, which stays as it is when the set is small. With
   * `undefined` the answer stands for itself; a promise is waited for. When this throws, the answer stays inline and a `write-failed` event
   * says so.
   */
  readonly selectResultSet?: (output: ToolOutput) => unknown;
  /** When an output leaves the context. */
  readonly decide?: DecideOptions;
  /** Layout of the stored file. @defaultValue `"lro"`: records one a line under a header line */
  readonly encode?: FileEncoding;
  /** Names the stored files. @defaultValue `atlatl-{operation}-{ulid}` with the extension */
  readonly fileName?: NameRule;
  /** What the model sees instead. */
  readonly describe?: DescribeStageOptions;
  /** How long stored outputs live. */
  readonly retention?: RetentionOptions;
}

/** Options of one tool among an agent's, which are one for all its tools in these parts: `forTool(preset)` leaves them out. */
export type OwnToolOptions = Omit<ToolOptions, "decide" | "retention"> & {
  readonly decide?: Omit<DecideOptions, "turnBudget"> & { readonly turnBudget?: never };
  readonly retention?: Pick<RetentionOptions, "ttlMs" | "refreshOnRead"> & {
    readonly sweepIntervalMs?: never;
    readonly perSession?: never;
    readonly perStore?: never;
  };
  readonly measure?: never;
  readonly store?: never;
  readonly drillIn?: never;
};

/** Everything that can be set, in the order of the walk. Every part has a default. */
export interface OffloadOptions extends ToolOptions {
  /** The environment and the TOML file that the LRO specification names; read only when given. */
  readonly config?: ConfigOptions;
  /** How outputs are counted. */
  readonly measure?: MeasureOptions;
  /** Where outputs are kept. @defaultValue `fileStore()`: the system's temporary directory */
  readonly store?: ArtifactStore;
  /** How outputs that come in parts are read. */
  readonly streams?: StreamOptions;
  /** Tools and limits of later reading; `false` for no tools at all. */
  readonly drillIn?: DrillInOptions | false;
  /**
   * Tools that take stored outputs as arguments: the model passes `{"$output": id}` and the tool gets the data, which the
   * context never holds. `"auto"`, in agents with the middleware, stands for the parameters that take data by their
   * schema; `{ never: ["send_mail"] }` but for these tools; `{ send_report: ["rows"] }` for this one alone; `true` for all
   * parameters of all tools; `false` for none.
   *
   * @defaultValue `"auto"`
   */
  readonly references?: ReferenceOptions;
  /**
   * Results that have gone stale leave the context of a long conversation, restorable by one call: `true`, or when and how.
   * For agents with the middleware, and hand-written graphs with `ageMessages`.
   *
   * @defaultValue `false`
   */
  readonly aging?: AgingOptions | boolean;
  /**
   * Which tools take part, and what some have of their own. @defaultValue all but the drill-in tools
   */
  readonly scope?: ScopeOptions & { readonly perTool?: Readonly<Record<string, OwnToolOptions>> };
  /** Called with every event; what it throws, or its promise rejects with, is ignored. */
  readonly onEvent?: OffloadListener;
  /** The clock, in Unix milliseconds. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** What holds for one tool, after defaults. */
export interface ResolvedToolOptions {
  readonly enabled: boolean;
  readonly selectResultSet: ((output: ToolOutput) => unknown) | undefined;
  /** The threshold in tokens; `undefined` when it is in bytes or there are only other gates. */
  readonly thresholdTokens: number | undefined;
  readonly gates: readonly Gate[];
  /** What holds in their place for outputs without records; `undefined` where they hold for all. */
  readonly textGates: readonly Gate[] | undefined;
  /** A text of at most so many UTF-8 bytes is within every limit, however its tokens are counted; 0 where calls differ. */
  readonly shortBytes: number;
  /** What limits are multiplied by because the model can read nothing back; `Infinity` for no limit at all. */
  readonly limitFactor: number;
  readonly mode: "artifact" | "truncate";
  readonly onStoreFailure: "truncate" | "inline";
  readonly contextWindowTokens: number | undefined;
  readonly encode: FileEncoding;
  readonly fileName: NameRule;
  readonly describe: DescribeStageOptions;
  readonly ttlMs: number;
  readonly refreshOnRead: boolean;
}

/** {@link OffloadOptions} after defaults. */
export interface ResolvedOffloadOptions extends ResolvedToolOptions {
  readonly measure: MeasureOptions;
  readonly store: ArtifactStore;
  readonly streams: Required<StreamOptions>;
  /** Names of the drill-in tools that exist; empty when there are none. */
  readonly toolNames: DrillInToolNames;
  /** Tools that stand in for usual ones. */
  readonly toolShapes: readonly ToolShape[];
  readonly drillInLimits: DrillInLimits;
  readonly spool: SpoolOptions | undefined;
  readonly sql: SqlEngineStarter | undefined;
  readonly sweepIntervalMs: number;
  readonly perSession: StorageCap | undefined;
  readonly perStore: StorageCap | undefined;
  readonly turnBudget: TurnBudget | undefined;
  readonly references: ReferenceOptions | undefined;
  /** `undefined` where nothing ages. */
  readonly aging: ResolvedAgingOptions | undefined;
  readonly scope: ScopeOptions;
  /** What some tools have of their own, by the tool's name. */
  readonly perTool: ReadonlyMap<string, ResolvedToolOptions>;
  readonly onEvent: OffloadListener | undefined;
  readonly now: () => number;
  /** Which settings of the specification are in force and where each came from. */
  readonly effective: EffectiveSettings;
}
