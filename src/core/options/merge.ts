import type { OffloadOptions, PerToolOptions, ToolOptions } from "./options.js";
import { isPreset, TOOL_OPTION_NAMES } from "./schema.js";
import { isRecord } from "../../util/is-record.js";

/** Options whose keys are merged one by one. Of every other option the upper one replaces the lower one. */
const PARTS = ["describe", "retention", "drillIn", "names", "perTool"];
/** What a tool has of its agent's beside a published design. */
const BESIDE_A_DESIGN = ["enabled", "selectResultSet"];

/**
 * Options over other options: objects are merged key by key, lists and all else are replaced. Both are checked options, so
 * that none of them is `undefined`.
 */
function mergeOptions<Options extends object>(
  below: Options,
  above: Options,
  isPart = (key: string): boolean => PARTS.includes(key),
): Options {
  const merged = { ...below, ...above };
  for (const key of Object.keys(above).filter((name) => isPart(name))) {
    const [lower, upper]: unknown[] = [Reflect.get(below, key), Reflect.get(above, key)];
    if (!isRecord(lower) || !isRecord(upper)) continue;
    Reflect.set(
      merged,
      key,
      mergeOptions(lower, upper, key === "perTool" ? () => true : undefined),
    );
  }
  return merged;
}

export function withPreset({ preset, ...own }: OffloadOptions): OffloadOptions {
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
 * The options of one tool: its own over its preset's over the agent's. The limits of a preset replace the agent's, and a published
 * design all that the agent has.
 */
export function toolOptionsOf(
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

function only(options: ToolOptions, names: readonly string[]): ToolOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
