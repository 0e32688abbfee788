import type { DrillInOptions } from "../drill-in/stage-options.js";
import { CORE_TOOLS, type ToolShape } from "../drill-in/tools.js";
import { refuseOptions } from "../types/errors.js";
import type { DrillInTool } from "../types/plugin.js";
import type { DrillInToolNames } from "../types/result.js";
import { unknownName } from "../../util/option-rules.js";
import type { ResolvedOffloadOptions } from "./options.js";

/**
 * Shaped tools, except those that `names` leaves out.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` if `names` and `tools` name one tool differently.
 */
export function offeredShapes(
  shapes: readonly ToolShape[],
  names: DrillInOptions["names"] = {},
): readonly ToolShape[] {
  const offered = shapes.filter(({ tool }) => names[tool] !== false);
  for (const { tool, name } of offered) {
    const other = names[tool];
    if (other !== undefined && other !== name)
      refuseOptions(
        `drillIn names the tool ${tool} twice: ${other} and ${name}, which \`tools\` gives it. Give one name, in \`names\` or in \`tools\`; \`names: { ${tool}: false }\` leaves the tool out.`,
      );
  }
  return offered;
}

/**
 * The names of an agent's tools, by key.
 *
 * @param tools - Tools of plugins.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for an unknown key, or a duplicate name.
 */
export function resolveToolNames(
  { drillIn, toolShapes, sql }: Pick<ResolvedOffloadOptions, "drillIn" | "toolShapes" | "sql">,
  tools: readonly Pick<DrillInTool, "key" | "name">[],
): DrillInToolNames {
  if (drillIn === false) return {};
  const { names = {} } = drillIn;
  const usual = Object.fromEntries(
    [...CORE_TOOLS, ...tools].map(({ key, name = `${key}_tool_output` }) => [key, name]),
  );
  const { cleanup, ...given }: Record<string, string | false | undefined> = {
    ...usual,
    ...names,
    ...(sql === undefined && { sql: false }),
    ...Object.fromEntries(toolShapes.map(({ tool, name }) => [tool, name])),
  };
  const keys = Object.keys(usual);
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    refuseOptions(`${unknownName("drill-in tool", unknown, keys)}\n  → at drillIn`);
  const resolved: DrillInToolNames = Object.fromEntries(
    Object.entries(given).map(([key, name]) => [key, name || undefined]),
  );
  const used = [...Object.values(resolved), cleanup].filter((name) => name !== undefined);
  if (new Set(used).size < used.length)
    refuseOptions(`Drill-in tools need different names, got ${used.join(", ")}.`);
  return resolved;
}

/** Outputs of these tools are never offloaded. */
export function ownToolNames({ toolNames, toolShapes }: ResolvedOffloadOptions): string[] {
  return [
    ...Object.values(toolNames).filter((name) => name !== undefined),
    ...toolShapes.map(({ name }) => name),
  ];
}
