import type { ResolvedAgingOptions } from "../../plugins/aging/aging-options.js";
import type { EffectiveSettings } from "./apply-settings.js";
import type { CallArgument } from "../decide/decide.js";
import type { Gate } from "../decide/gate.js";
import type { ScopeOptions } from "../decide/scope.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import type { DescribeStageOptions } from "../describe/stage-options.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { CodeEngineStarter } from "../../plugins/code/request.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { ToolShape } from "../drill-in/tool-shape.js";
import type { ReferenceOptions } from "../describe/references.js";
import type { SpoolOptions } from "../engines/body-cache.js";
import type { OffloadListener } from "../types/events.js";
import type { Journal } from "../../plugins/journal/journal.js";
import type { StorageCap } from "../store/lifetime/retention-options.js";
import type { MeasureOptions } from "../measure/measure.js";
import type { Redact } from "../../plugins/redact/redact.js";
import type { OffloadPlugin } from "../types/plugin.js";
import type { StreamOptions } from "../content/stream/output-stream.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileEncoding } from "../store/body/encode.js";
import type { NameRule } from "../store/name-rules.js";
import type { AccessRule } from "../types/access.js";
import type { ToolOutput } from "../types/output.js";
import type { DrillInToolNames } from "../types/result.js";
import type { ResolvedMediaOptions } from "./media-options.js";
import type { ShowTools } from "./options.js";

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
  readonly mode: "artifact" | "truncate";
  readonly onStoreFailure: "truncate" | "inline";
  readonly contextWindowTokens: number | undefined;
  readonly encode: FileEncoding;
  readonly fileName: NameRule;
  readonly describe: DescribeStageOptions;
  readonly ttlMs: number;
  readonly refreshOnRead: boolean;
  /** Settings of plug-ins by their names. */
  readonly ofPlugins?: Readonly<Record<string, unknown>>;
}

/** All options after defaults. */
export interface ResolvedOffloadOptions extends ResolvedToolOptions {
  readonly plugins: readonly OffloadPlugin[];
  readonly measure: MeasureOptions;
  readonly store: ArtifactStore;
  readonly streams: Required<StreamOptions>;
  readonly redact: Redact | undefined;
  /** `undefined` where media stay as they are. */
  readonly media: ResolvedMediaOptions | undefined;
  /** Names of the drill-in tools that exist; empty when there are none. */
  readonly toolNames: DrillInToolNames;
  /** Tools that stand in for usual ones. */
  readonly toolShapes: readonly ToolShape[];
  readonly drillInLimits: DrillInLimits;
  readonly spool: SpoolOptions | undefined;
  readonly sql: SqlOptions | undefined;
  readonly code: CodeEngineStarter | undefined;
  readonly showTools: ShowTools;
  readonly perSession: StorageCap | undefined;
  readonly perStore: StorageCap | undefined;
  readonly turnBudget: TurnBudget | undefined;
  readonly callArgument: CallArgument | undefined;
  readonly references: ReferenceOptions | undefined;
  readonly access: AccessRule | undefined;
  /** `undefined` where nothing ages. */
  readonly aging: ResolvedAgingOptions | undefined;
  readonly scope: ScopeOptions;
  /** What some tools have of their own, by the tool's name. */
  readonly perTool: ReadonlyMap<string, ResolvedToolOptions>;
  readonly onEvent: OffloadListener | undefined;
  readonly journal: Journal | undefined;
  readonly now: () => number;
  /** Which settings of the specification are in force and where each came from. */
  readonly effective: EffectiveSettings;
}
