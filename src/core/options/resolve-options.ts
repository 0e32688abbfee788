import type { OffloadOptions, ToolOptions } from "./options.js";
import type { ResolvedToolOptions, ResolvedOffloadOptions } from "./resolved-options.js";
import { resolveAging } from "../../plugins/aging/aging-options.js";
import { applySettings, type SettingOptions } from "./apply-settings.js";
import type { DecideOptions } from "../decide/decide.js";
import { checkAging } from "./check-aging.js";
import { decideForTool } from "./for-tool.js";
import { resolveMode } from "../decide/mode.js";
import { bytesWithin, type Size, threshold } from "../decide/gates/threshold.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../engines/limits.js";
import { resolveSql } from "../engines/sql/start.js";
import { OffloadError } from "../types/errors.js";
import { checkedOptions } from "../../util/option-rules.js";
import { resolveMedia } from "./media-options.js";
import { optionsSchema } from "./options-schema.js";
import { DEFAULT_TEXT_TOKENS } from "./setting-rules.js";
import { DEFAULT_TOOL_NAMES, offeredShapes, resolveToolNames } from "./tool-names.js";
import { atOnce } from "../../util/at-once.js";
import { warnOnce } from "../../util/warn-once.js";
import { fileStore } from "../store/file/index.js";
import { prefixName } from "../store/name-rules.js";
import type { DrillInToolNames } from "../types/result.js";

const DEFAULT_THRESHOLD = { tokens: 1600 };
const DEFAULT_STREAM_BYTES = 4_294_967_296;
/** How many times as long as usual an answer may be that a call asks for. */
const REQUESTED_FACTOR = 4;
const HOUR_MS = 3_600_000;

/**
 * The options with every default filled in.
 *
 * @param factory - What the caller has called.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming each wrong value and what is allowed.
 */
export function resolveOptions(
  given: OffloadOptions = {},
  factory = "createOffloader",
): ResolvedOffloadOptions {
  const checked = checkedOptions<OffloadOptions>(factory, optionsSchema, given);
  const { options, defaults, effective } = applySettings(
    withThreshold(checked, checked.decide),
    checked.config ?? {},
  );
  const {
    names,
    tools = [],
    spool,
    sql: sqlAsked = "auto",
    code: codeAsked,
    maxOutputTokens = DEFAULT_DRILL_IN_LIMITS.maxOutputTokens,
    timeoutMs = DEFAULT_DRILL_IN_LIMITS.timeoutMs,
  } = options.drillIn || {};
  const toolShapes = offeredShapes(tools, names);
  // By itself SQL comes beside jq: who leaves that out wants no queries.
  const isAlone = sqlAsked === "auto" && (names?.jq === false || names?.sql === false);
  const sql = isAlone ? undefined : resolveSql(sqlAsked);
  const code = (names?.code !== false && codeAsked) || undefined;
  const media = resolveMedia(options.media);
  const offered = {
    ...DEFAULT_TOOL_NAMES,
    ...names,
    ...(sql === undefined && { sql: false as const }),
    ...(code === undefined && { code: false as const }),
    ...(media === undefined && { view: false as const }),
  };
  const toolNames = options.drillIn === false ? {} : resolveToolNames(offered, toolShapes);
  // What a file is seen with reads no text.
  const { view: _view, ...readers } = toolNames;
  const { perTool = {}, ...scope } = options.scope ?? {};
  const store = options.store ?? fileStore();
  if (store.refresh === undefined && refreshes([options, ...Object.values(perTool)])) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `The store ${store.name} cannot move an expiry, so retention.refreshOnRead would do nothing. ` +
        "Give its ArtifactStore a `refresh`, or leave the option out.",
    );
  }
  if (options.journal?.inlineText === true && store.bodies === "sealed") {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `The store ${store.name} encrypts, and journal.inlineText would write outputs in plain beside it. ` +
        "Leave inlineText out: over such a store a journal has no texts at all.",
    );
  }
  const aging = resolveAging(options.aging);
  if (aging !== undefined) checkAging(aging, store, toolNames);
  const ofAgent = resolveToolOptions(options, readers);
  const inForce = { ...effective.thresholdTokens, value: ofAgent.thresholdTokens };
  return {
    ...ofAgent,
    measure: options.measure ?? {},
    store,
    redact: options.redact,
    plugins: options.plugins ?? [],
    media,
    streams: { maxBytes: options.streams?.maxBytes ?? DEFAULT_STREAM_BYTES },
    toolNames,
    toolShapes,
    drillInLimits: {
      ...DEFAULT_DRILL_IN_LIMITS,
      maxOutputTokens,
      maxRequestedTokens: Math.max(
        REQUESTED_FACTOR * maxOutputTokens,
        ...toolShapes.map(({ maxTokens = 0 }) => maxTokens),
      ),
      timeoutMs,
    },
    spool,
    sql,
    code,
    showTools: options.showTools ?? "always",
    perSession: options.retention?.perSession,
    perStore: options.retention?.perStore,
    turnBudget: options.decide?.turnBudget,
    callArgument: options.decide?.callArgument,
    references: options.references === false ? undefined : (options.references ?? "auto"),
    access: options.access,
    aging,
    scope,
    perTool: new Map(
      Object.entries(perTool).map(([tool, own]) => [
        tool,
        resolveToolOptions(toolOptionsOf(own, options, defaults), readers),
      ]),
    ),
    onEvent: options.onEvent,
    journal: options.journal,
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

/** The same options, their threshold in `decide`. */
function withThreshold<Options extends ToolOptions>(
  { threshold: size, ...given }: Options,
  decide: DecideOptions | undefined,
): Omit<Options, "threshold"> {
  return size === undefined ? given : { ...given, decide: { ...decide, threshold: size } };
}

/** The options of one tool: its own parts, and the agent's where it has none. */
function toolOptionsOf(
  given: ToolOptions,
  agent: ToolOptions,
  defaults: SettingOptions,
): ToolOptions {
  const own = withThreshold(given, given.decide ?? agent.decide);
  const all = { ...agent, ...own };
  return {
    ...all,
    ...(own.decide && { decide: decideForTool(own.decide, agent.decide, defaults.threshold) }),
    retention: { ...defaults.retention, ...all.retention },
  };
}

function resolveToolOptions(
  options: ToolOptions,
  toolNames: DrillInToolNames,
): ResolvedToolOptions {
  const { decide = {}, describe = {} } = options;
  const size = thresholdOf(decide);
  // A limit that nobody has stated is larger for outputs without records.
  const isStated = [decide.threshold, decide.defaultThreshold, decide.gates].some(
    (stated) => stated !== undefined,
  );
  const textSize = isStated ? undefined : { tokens: DEFAULT_TEXT_TOKENS };
  const others = decide.gates ?? [];
  return {
    enabled: options.enabled ?? true,
    selectResultSet: options.selectResultSet,
    thresholdTokens: size !== undefined && "tokens" in size ? size.tokens : undefined,
    gates: [...(size ? [threshold(size)] : []), ...others],
    textGates: textSize && [threshold(textSize), ...others],
    shortBytes: others.length > 0 ? 0 : Math.min(bytesWithin(size), bytesWithin(textSize)),
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

/** The threshold; none when there are only other gates. */
function thresholdOf({
  threshold: size,
  defaultThreshold,
  gates,
}: DecideOptions): Size | undefined {
  if (size === undefined && gates !== undefined) return undefined;
  return size ?? defaultThreshold ?? DEFAULT_THRESHOLD;
}
