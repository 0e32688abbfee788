import type { DrillInToolNames } from "../types/result.js";
import { type CallPrinter, locatorOf } from "./shared/call-printer.js";
import type { DrillInTool } from "./shared/tool-schemas.js";
import type { ToolShape } from "./tool-shape.js";

/** Calls as a model makes them: the tool's name, if it has one, and its arguments as JSON. */
export function modelCalls(
  names: DrillInToolNames,
  shapes: readonly ToolShape[] = [],
): CallPrinter {
  const shapeOf = (tool: DrillInTool): ToolShape | undefined =>
    shapes.find((shape) => shape.tool === tool);
  const nameOf = (tool: DrillInTool, name: string): string => shapeOf(tool)?.names[name] ?? name;
  return {
    call: (tool, artifact, given) => {
      const shape = shapeOf(tool);
      const args = { ...locatorOf(tool, artifact), ...given };
      const name = shape?.name ?? names[tool];
      const json = JSON.stringify(shape?.state(args, artifact) ?? args);
      return name === undefined ? json : `${name} ${json}`;
    },
    argument: (tool, name, value) => `"${nameOf(tool, name)}": ${JSON.stringify(value)}`,
    switchOn: (tool, name) => `set ${nameOf(tool, name)} to true`,
    entry: (tool, name, key) =>
      `${nameOf(tool, name)}: {"${key}": ${name === "with" ? '"<id>"' : "…"}}`,
    nameOf,
  };
}
