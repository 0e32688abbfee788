import type { DrillInOptions } from "../drill-in/stage-options.js";
import { type ToolShape, toolNamesOf } from "../drill-in/tool-shape.js";
import { OffloadError } from "../types/errors.js";
import type { DrillInToolNames } from "../types/result.js";
import type { ResolvedOffloadOptions } from "./options.js";

/** Names of the drill-in tools when none are given. The extraction tool is there where it is named, as `lro()` does. */
export const DEFAULT_TOOL_NAMES: DrillInToolNames = {
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
  sql: "sql_tool_output",
  code: "code_tool_output",
  view: "view_tool_output",
};

/**
 * The tools that stand in for usual ones, without those that `names` leaves out.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` where `names` and `tools` name one tool twice.
 */
export function offeredShapes(
  shapes: readonly ToolShape[],
  names: DrillInOptions["names"] = {},
): readonly ToolShape[] {
  const offered = shapes.filter(({ tool }) => tool === "cleanup" || names[tool] !== false);
  const seen = new Map(Object.entries(names));
  for (const { tool, name } of offered) {
    const other = seen.get(tool);
    if (tool !== "cleanup" && typeof other === "string" && other !== name) {
      throw new OffloadError(
        "INVALID_OPTIONS",
        `drillIn names the tool ${tool} twice: ${other} and ${name}, which \`tools\` gives it. ` +
          `Give one name, in \`names\` or in \`tools\`; \`names: { ${tool}: false }\` leaves the tool out.`,
      );
    }
    seen.set(tool, name);
  }
  return offered;
}

/**
 * The names of the tools that an agent has.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` where two have one name.
 */
export function resolveToolNames(
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

/** Names of the tools that this library adds to an agent; their outputs are never offloaded. */
export function ownToolNames({
  toolNames,
  toolShapes,
}: Pick<ResolvedOffloadOptions, "toolNames" | "toolShapes">): string[] {
  return [...Object.values(toolNames), ...toolShapes.map(({ name }) => name)];
}
