import type { DrillInToolNames } from "../types/result.js";
import { type CallPrinter, locatorOf, type StatedArguments } from "./shared/call-printer.js";
import { DRILL_IN_TOOLS, type DrillInTool } from "./shared/tool-schemas.js";
import type { ToolShape } from "./tool-shape.js";

/**
 * Calls as a model makes them: the tool's name, if it has one, and its arguments as JSON. What a tool has is what its
 * definition shows.
 */
export function modelCalls(
  names: DrillInToolNames,
  shapes: readonly ToolShape[] = [],
): CallPrinter {
  const shapeOf = (tool: DrillInTool): ToolShape | undefined =>
    shapes.find((shape) => shape.tool === tool);
  const nameOf = (tool: DrillInTool, name: string): string => shapeOf(tool)?.names[name] ?? name;
  const isShown = (tool: DrillInTool, args: StatedArguments): boolean => {
    const definition = shapeOf(tool) ?? DRILL_IN_TOOLS.find(({ key }) => key === tool);
    const shown = definition?.schema.shape ?? {};
    return Object.entries(args).every(
      ([name, value]) => value === undefined || Object.hasOwn(shown, name),
    );
  };
  const has = (tool: DrillInTool, name: string): boolean => {
    const args = { [name]: true };
    return isShown(tool, shapeOf(tool)?.state(args, { fileName: "" }) ?? args);
  };
  return {
    has,
    call: (tool, artifact, given, isBrought = false) => {
      const shape = shapeOf(tool);
      const args = { ...locatorOf(tool, artifact), ...given };
      const name = shape?.name ?? names[tool];
      const stated = shape?.state(args, artifact) ?? args;
      if (!isBrought && !isShown(tool, stated)) return undefined;
      const json = JSON.stringify(stated);
      return name === undefined ? json : `${name} ${json}`;
    },
    argument: (tool, name, value) => `"${nameOf(tool, name)}": ${JSON.stringify(value)}`,
    switchOn: (tool, name) => (has(tool, name) ? `set ${nameOf(tool, name)} to true` : undefined),
    entry: (tool, name, key) =>
      has(tool, name)
        ? `${nameOf(tool, name)}: {"${key}": ${name === "with" ? '"<id>"' : "…"}}`
        : undefined,
    nameOf,
  };
}
