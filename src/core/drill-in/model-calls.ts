import type { DrillInToolNames } from "../types/result.js";
import type { CallPrinter, StatedArguments } from "./shared/call-printer.js";
import { CORE_TOOLS, type DrillInToolDefinition, locatorOf } from "./shared/tool-schemas.js";
import type { ToolShape } from "./tool-shape.js";

/**
 * Calls as a model makes them: the tool's name, if it has one, and its arguments as JSON. What a tool has is what its
 * definition shows.
 */
export function modelCalls(
  names: DrillInToolNames,
  shapes: readonly ToolShape[] = [],
  definitions: readonly DrillInToolDefinition[] = CORE_TOOLS,
): CallPrinter {
  const shapeOf = (tool: string): ToolShape | undefined =>
    shapes.find((shape) => shape.tool === tool);
  const definitionOf = (tool: string): DrillInToolDefinition | undefined =>
    definitions.find(({ key }) => key === tool);
  const locator = (tool: string): "file_path" | "id" => {
    const definition = definitionOf(tool);
    return definition === undefined ? "id" : locatorOf(definition);
  };
  const nameOf = (tool: string, name: string): string => shapeOf(tool)?.names[name] ?? name;
  const isShown = (tool: string, args: StatedArguments): boolean => {
    const shown = (shapeOf(tool) ?? definitionOf(tool))?.schema.shape ?? {};
    return Object.entries(args).every(
      ([name, value]) => value === undefined || Object.hasOwn(shown, name),
    );
  };
  const has = (tool: string, name: string): boolean => {
    const args = { [name]: true };
    return isShown(tool, shapeOf(tool)?.state(args, { fileName: "" }) ?? args);
  };
  return {
    has,
    call: (tool, artifact, given, isBrought = false) => {
      const shape = shapeOf(tool);
      const args = { [locator(tool)]: artifact.fileName, ...given };
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
    locator,
  };
}
