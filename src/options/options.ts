import { applySettings, type EffectiveSettings, type SettingOptions } from "./apply-settings.js";
import type { ConfigOptions } from "./read-settings.js";
import type { DecideOptions } from "../decide/decide.js";
import { decideForTool } from "./for-tool.js";
import type { Gate } from "../decide/gate.js";
import { resolveMode } from "../decide/mode.js";
import { limitFactor } from "../decide/no-drill-in.js";
import type { ScopeOptions } from "../decide/scope.js";
import { type Size, threshold, timesSize } from "../decide/gates/threshold.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import type { DescribeStageOptions } from "../describe/stage-options.js";
import { DEFAULT_DRILL_IN_LIMITS, type DrillInLimits } from "../drill-in/shared/limits.js";
import type { SqlEngineStarter } from "../drill-in/sql/request.js";
import { type ToolShape, toolNamesOf } from "../drill-in/tool-shape.js";
import type { ReferenceOptions } from "../describe/references.js";
import type { SpoolOptions } from "../drill-in/engine/body-cache.js";
import type { DrillInOptions } from "../drill-in/stage-options.js";
import { OffloadError } from "../errors.js";
import type { OffloadListener } from "../events.js";
import type { RetentionOptions, StorageCap } from "../lifecycle/retention-options.js";
import type { MeasureOptions } from "../measure/measure.js";
import { checkedOptions } from "../util/option-rules.js";
import { optionsSchema } from "./options-schema.js";
import type { StreamOptions } from "../content/stream/output-stream.js";
import { atOnce } from "../util/at-once.js";
import { warnOnce } from "../util/warn-once.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileEncoding } from "../store/body/encode.js";
import { fileStore } from "../store/file/index.js";
import { type NameRule, prefixName } from "../store/name-rules.js";
import type { DrillInToolNames, ToolOutput } from "../types.js";

export type { DescribeStageOptions, RecipeMaker } from "../describe/stage-options.js";
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
   * Tools that take stored outputs as arguments: `{ send_report: ["rows"] }`, or `true` for all. The
   * model then passes `{"$output": id}` and the tool gets the data, which the context never holds.
   *
   * @defaultValue none
   */
  readonly references?: ReferenceOptions;
  /**
   * Which tools take part, and what some have of their own. Of a preset for one tool, store,
   * tokenizer and drill-in tools are left out: these are the agent's. @defaultValue all but the drill-in tools
   */
  readonly scope?: ScopeOptions & { readonly perTool?: Readonly<Record<string, ToolOptions>> };
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
  readonly scope: ScopeOptions;
  /** What some tools have of their own, by the tool's name. */
  readonly perTool: ReadonlyMap<string, ResolvedToolOptions>;
  readonly onEvent: OffloadListener | undefined;
  readonly now: () => number;
  /** Which settings of the specification are in force and where each came from. */
  readonly effective: EffectiveSettings;
}

/** Names of the drill-in tools when none are given. */
const DEFAULT_TOOL_NAMES: Required<DrillInToolNames> = {
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
  sql: "sql_tool_output",
  extract: "lro_extract",
};

const DEFAULT_THRESHOLD = { tokens: 1600 };
const DEFAULT_STREAM_BYTES = 4_294_967_296;
const HOUR_MS = 3_600_000;

/**
 * The options with every default filled in.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming each wrong value and what is allowed.
 */
export function resolveOptions(given: OffloadOptions = {}): ResolvedOffloadOptions {
  const checked = checkedOptions<OffloadOptions>("offload", optionsSchema, given);
  const { options, defaults, effective } = applySettings(checked, checked.config ?? {});
  const { names, tools: toolShapes = [], spool, sql, ...limits } = options.drillIn || {};
  const offered = {
    ...DEFAULT_TOOL_NAMES,
    ...names,
    ...(sql === undefined ? { sql: false as const } : {}),
  };
  const toolNames = options.drillIn === false ? {} : resolveToolNames(offered, toolShapes);
  const { perTool = {}, ...scope } = options.scope ?? {};
  const store = options.store ?? fileStore();
  if (store.refresh === undefined && refreshes([options, ...Object.values(perTool)])) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `The store ${store.name} cannot move an expiry, so retention.refreshOnRead would do nothing. ` +
        "Give its ArtifactStore a `refresh`, or leave the option out.",
    );
  }
  const ofAgent = resolveToolOptions(options, toolNames);
  const inForce = { ...effective.thresholdTokens, value: ofAgent.thresholdTokens };
  return {
    ...ofAgent,
    measure: options.measure ?? {},
    store,
    streams: { maxBytes: options.streams?.maxBytes ?? DEFAULT_STREAM_BYTES },
    toolNames,
    toolShapes,
    drillInLimits: { ...DEFAULT_DRILL_IN_LIMITS, ...limits },
    spool,
    sql,
    sweepIntervalMs: options.retention?.sweepIntervalMs ?? HOUR_MS,
    perSession: options.retention?.perSession,
    perStore: options.retention?.perStore,
    turnBudget: options.decide?.turnBudget,
    references: options.references,
    scope,
    perTool: new Map(
      Object.entries(perTool).map(([tool, own]) => [
        tool,
        resolveToolOptions(toolOptionsOf(own, options, defaults), toolNames),
      ]),
    ),
    onEvent: options.onEvent,
    now: steadyClock(options.now),
    effective: { ...effective, thresholdTokens: inForce },
  };
}

function refreshes(given: readonly ToolOptions[]): boolean {
  return given.some(({ retention }) => retention?.refreshOnRead === true);
}

/** Latest time that a date, and an id of an artifact, can have, with the longest life added to it. */
const MAX_NOW_MS = 2 ** 48 - 1;

/** The caller's clock; the process's for a time that is none, which could not be stored. */
function steadyClock(given: () => number = Date.now): () => number {
  return () => {
    try {
      const nowMs = atOnce("now", given());
      if (nowMs >= 0 && nowMs <= MAX_NOW_MS) return nowMs;
      warnOnce("now gave no time in Unix milliseconds. The clock of the process stands in for it.");
    } catch (error) {
      const reason = error instanceof Error ? `: ${error.message}` : ".";
      warnOnce(`now failed${reason} The clock of the process stands in for it.`);
    }
    return Date.now();
  };
}

/** Names of the tools that this library adds to an agent; their outputs are never offloaded. */
export function ownToolNames({
  toolNames,
  toolShapes,
}: Pick<ResolvedOffloadOptions, "toolNames" | "toolShapes">): string[] {
  return [...Object.values(toolNames), ...toolShapes.map(({ name }) => name)];
}

/** The options of one tool: its own parts, and the agent's where it has none. */
function toolOptionsOf(
  own: ToolOptions,
  agent: ToolOptions,
  defaults: SettingOptions,
): ToolOptions {
  const all = { ...agent, ...own };
  return {
    ...all,
    ...(own.decide && { decide: decideForTool(own.decide, agent.decide, defaults.decide) }),
    retention: { ...defaults.retention, ...all.retention },
  };
}

function resolveToolOptions(
  options: ToolOptions,
  toolNames: DrillInToolNames,
): ResolvedToolOptions {
  const { decide = {}, describe = {} } = options;
  const { whenNoDrillIn } = decide;
  const factor = limitFactor({ whenNoDrillIn, toolNames, shell: describe.shell });
  const size = thresholdOf(decide, factor);
  return {
    enabled: options.enabled ?? true,
    selectResultSet: options.selectResultSet,
    thresholdTokens: size !== undefined && "tokens" in size ? size.tokens : undefined,
    gates: [
      ...(size ? [threshold(size)] : []),
      ...(factor === Infinity ? [] : (decide.gates ?? [])),
    ],
    limitFactor: factor,
    mode: resolveMode(decide.mode ?? "artifact", toolNames),
    onStoreFailure: decide.onStoreFailure ?? "truncate",
    contextWindowTokens: decide.contextWindowTokens,
    encode: options.encode ?? "lro",
    fileName: options.fileName ?? prefixName("atlatl"),
    describe,
    ttlMs: options.retention?.ttlMs ?? HOUR_MS,
    refreshOnRead: options.retention?.refreshOnRead ?? false,
  };
}

/** The threshold; none when there are only other gates, or nothing could be read back. */
function thresholdOf({ threshold: size, gates }: DecideOptions, factor: number): Size | undefined {
  if (size === undefined && gates !== undefined) return undefined;
  return timesSize(size ?? DEFAULT_THRESHOLD, factor);
}

function resolveToolNames(
  names: NonNullable<DrillInOptions["names"]>,
  shapes: readonly ToolShape[],
): DrillInToolNames {
  const given = { ...names, ...toolNamesOf(shapes) };
  const resolved = Object.entries(given).filter(([, given]) => typeof given === "string");
  const used = resolved.map(([, given]) => given);
  if (new Set(used).size < used.length) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `Drill-in tools need different names, got ${used.join(", ")}.`,
    );
  }
  return Object.fromEntries(resolved);
}
