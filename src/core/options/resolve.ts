import { atOnce } from "../../util/at-once.js";
import { isRecord } from "../../util/is-record.js";
import { checkedOptions } from "../../util/option-rules.js";
import { warnOnce } from "../../util/warn-once.js";
import { bytesWithin, threshold } from "../decide/gates/threshold.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../engines/limits.js";
import { resolveSql } from "../engines/sql/start.js";
import { fileStore } from "../store/file/index.js";
import { prefixName } from "../store/naming.js";
import { OffloadError, refuseOptions } from "../types/errors.js";
import type {
  DescribeStageOptions,
  DrillInOptions,
  OffloadOptions,
  PerToolOptions,
  ResolvedOffloadOptions,
  ResolvedToolOptions,
  ToolOptions,
} from "./options.js";
import { TOOL_OPTION_NAMES, isPreset, optionsSchema, overridesSchema } from "./schema.js";
import { offeredShapes } from "./tools.js";

const DEFAULT_THRESHOLD = { tokens: 1600 };
/**
 * Default for outputs without records. Texts are mostly read whole, and then a descriptor, a call and the answer cost
 * more than the text.
 */
const DEFAULT_TEXT_TOKENS = 6400;
const DEFAULT_OUTPUT_BYTES = 4_294_967_296;
const REQUESTED_FACTOR = 4;
const HOUR_MS = 3_600_000;

/**
 * Fills in all defaults.
 *
 * @param factory - The factory's name, for errors.
 * @param adjusted - Adjusts the checked and merged options to the caller's protocol.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming each wrong value and what is allowed.
 */
export function resolveOptions(
  given: OffloadOptions = {},
  factory = "createOffloader",
  adjusted = (options: OffloadOptions): OffloadOptions => options,
): Omit<ResolvedOffloadOptions, "toolNames"> {
  const options = adjusted(
    withPreset(checkedOptions<OffloadOptions>(factory, optionsSchema, given)),
  );
  const tools = resolveDrillIn(options.drillIn);
  const { drillIn, sql } = tools;
  const readers = ["read", "grep", "jq", ...(sql ? ["sql"] : [])];
  const canRead = drillIn && readers.some((key) => drillIn.names?.[key] !== false);
  const auto = canRead ? "store" : "truncate";
  const now = steadyClock(options.now);
  const {
    contextWindowTokens,
    retention: { maxSessionBytes, maxTotalBytes } = {},
    store = fileStore({ now }),
  } = options;
  const resolveTool = (own: ToolOptions): ResolvedToolOptions =>
    resolveToolOptions(own, auto, contextWindowTokens);
  const ofAgent = resolveTool(options);
  const perTool = new Map<string, ResolvedToolOptions>();
  for (const [tool, own] of Object.entries(options.perTool ?? {})) {
    perTool.set(tool, { ...resolveTool(toolOptionsOf(own, options)), ofPlugins: own.plugins });
  }
  const refreshes = [ofAgent, ...perTool.values()].some(({ refreshOnRead }) => refreshOnRead);
  if (store.refresh === undefined && refreshes) {
    refuseOptions(
      `The store ${store.name} cannot extend an expiry, so retention.refreshOnRead would do nothing. Give its ArtifactStore a \`refresh\`, or leave the option out.`,
    );
  }
  return {
    ...only(options, AS_GIVEN),
    ...ofAgent,
    ...tools,
    store,
    perTool,
    tokenizer: options.tokenizer ?? "o200k_base",
    plugins: options.plugins ?? [],
    maxOutputBytes: options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES,
    now,
    maxSessionBytes,
    maxTotalBytes,
  };
}

function resolveDrillIn(
  drillIn: DrillInOptions | false = {},
): Pick<ResolvedOffloadOptions, "drillIn" | "toolShapes" | "drillInLimits" | "sql"> {
  const {
    names,
    tools = [],
    sql: sqlAsked = "auto",
    maxAnswerTokens = DEFAULT_DRILL_IN_LIMITS.maxOutputTokens,
    timeoutMs = DEFAULT_DRILL_IN_LIMITS.timeoutMs,
  } = drillIn || {};
  const toolShapes = offeredShapes(tools, names);
  const isRemoved = sqlAsked === "auto" && names?.sql === false;
  return {
    drillIn,
    toolShapes,
    drillInLimits: {
      ...DEFAULT_DRILL_IN_LIMITS,
      maxOutputTokens: maxAnswerTokens,
      maxRequestedTokens: Math.max(
        REQUESTED_FACTOR * maxAnswerTokens,
        ...toolShapes.map(({ maxTokens = 0 }) => maxTokens),
      ),
      timeoutMs,
    },
    sql: isRemoved ? undefined : resolveSql(sqlAsked),
  };
}

const MAX_NOW_MS = 2 ** 48 - 1;

function steadyClock(given: () => number = Date.now): () => number {
  return () => {
    try {
      const nowMs = atOnce("now", given());
      if (nowMs >= 0 && nowMs <= MAX_NOW_MS) return nowMs;
    } catch {
      // The warning says what is needed.
    }
    warnOnce(
      "now did not return a time in Unix milliseconds. The clock of the process is used instead.",
    );
    return Date.now();
  };
}

function limitsOf(
  size: ToolOptions["threshold"],
  statedGates: ResolvedToolOptions["statedGates"],
): Pick<ResolvedToolOptions, "thresholdTokens" | "statedGates" | "gates" | "shortBytes"> {
  return {
    thresholdTokens: size && "tokens" in size ? size.tokens : undefined,
    statedGates,
    gates: [...(size ? [threshold(size)] : []), ...statedGates],
    shortBytes: statedGates.length > 0 ? 0 : bytesWithin(size),
  };
}

function resolveToolOptions(
  options: ToolOptions,
  auto: ResolvedToolOptions["mode"],
  contextWindowTokens: number | undefined,
): ResolvedToolOptions {
  const { gates = [], mode = "store", retention = {} } = options;
  // Gates replace the default threshold, which is larger for outputs without records.
  const isStated = options.threshold !== undefined || options.gates !== undefined;
  const size = isStated ? options.threshold : DEFAULT_THRESHOLD;
  return {
    enabled: options.enabled ?? true,
    selectResultSet: options.selectResultSet,
    ...limitsOf(size, gates),
    textGates: isStated ? undefined : [threshold({ tokens: DEFAULT_TEXT_TOKENS })],
    mode: mode === "auto" ? auto : mode,
    onStoreFailure: options.onStoreFailure ?? "truncate",
    contextWindowTokens,
    fileFormat: options.fileFormat ?? "lro",
    fileName: options.fileName ?? prefixName("atlatl"),
    describe: options.describe ?? {},
    ttlMs: retention.ttlMs ?? HOUR_MS,
    refreshOnRead: retention.refreshOnRead ?? false,
  };
}

type Overrides = Pick<ToolOptions, "enabled" | "threshold"> & Pick<DescribeStageOptions, "form">;

/**
 * Applies `{ enabled, threshold, form }` of a run's configuration. Invalid overrides are ignored.
 */
export function applyOverrides(
  options: ResolvedToolOptions,
  overrides: unknown,
): ResolvedToolOptions {
  if (overrides === undefined || overrides === null) return options;
  const { enabled, threshold: size, form } = checkedOverrides(overrides);
  return {
    ...options,
    ...(enabled !== undefined && { enabled }),
    ...(size !== undefined && {
      ...limitsOf(size, options.statedGates),
      textGates: undefined,
    }),
    ...(form !== undefined && { describe: { ...options.describe, form } }),
  };
}

/** Nothing if they are invalid. */
export function checkedOverrides(given: unknown): Overrides {
  try {
    return checkedOptions<Overrides>("one call", overridesSchema, given ?? {});
  } catch (error) {
    if (!OffloadError.isInstance(error)) throw error;
    warnOnce(`Offload overrides were ignored. ${error.message}`);
    return {};
  }
}

const PARTS = ["describe", "retention", "drillIn", "names", "perTool", "plugins"];
const BESIDE_A_DESIGN = ["enabled", "selectResultSet"];
const AS_GIVEN = ["include", "exclude", "turnBudget", "temporaryDirectory", "access", "onEvent"];

/** Merges the objects among `parts` key by key; other values are replaced. Checked options contain no `undefined`. */
function mergeOptions<Options extends object>(
  below: Options,
  above: Options,
  parts: readonly string[] = PARTS,
): Options {
  const merged = { ...below, ...above };
  for (const key of parts) {
    const [lower, upper]: unknown[] = [Reflect.get(below, key), Reflect.get(above, key)];
    if (!isRecord(lower) || !isRecord(upper)) continue;
    const inner = key === "perTool" ? Object.keys(upper) : PARTS;
    Reflect.set(merged, key, mergeOptions(lower, upper, inner));
  }
  return merged;
}

function withPreset({ preset, ...own }: OffloadOptions): OffloadOptions {
  if (preset === undefined) return own;
  const below = withPreset(preset);
  const merged = mergeOptions(below, own);
  const { plugins } = own;
  if (plugins === undefined || plugins.length === 0 || below.plugins === undefined) return merged;
  const names = below.plugins.map(({ name }) => name);
  const inPlace = below.plugins.map((one) => plugins.find(({ name }) => name === one.name) ?? one);
  return {
    ...merged,
    plugins: [...inPlace, ...plugins.filter(({ name }) => !names.includes(name))],
  };
}

/**
 * A tool's own options over its preset's over the agent's. A preset's limits replace the agent's; a published preset
 * replaces nearly all options.
 */
function toolOptionsOf(
  { preset, plugins: _plugins, ...own }: PerToolOptions,
  agent: OffloadOptions,
): ToolOptions {
  if (preset === undefined) return mergeOptions<ToolOptions>(agent, own);
  const design = withPreset(preset);
  const isLimited = design.threshold !== undefined || design.gates !== undefined;
  const { threshold: _threshold, gates: _gates, ...unlimited } = agent;
  const base = isPreset(design) ? only(agent, BESIDE_A_DESIGN) : isLimited ? unlimited : agent;
  return mergeOptions(mergeOptions(base, only(design, TOOL_OPTION_NAMES)), own);
}

function only(options: OffloadOptions, names: readonly string[]): OffloadOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
