import type { JsonObject } from "../../util/is-record.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import type { RunningCall } from "../types/running-call.js";
import type { DrillInAnswer } from "./answer.js";
import { unwrapped } from "./arguments.js";
import type { DrillIn } from "./drill-in.js";
import { shownParameters, type ToolShape } from "./tools.js";

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** The tool itself accepts any arguments. */
  readonly parameters: JsonObject;
  /**
   * Rejects only with the reason of its signal when it aborts.
   *
   * @param args - What the model passed, unchecked.
   */
  readonly run: (args: unknown, call: RunningCall) => Promise<ToolAnswer>;
}

export type ToolAnswer = Pick<DrillInAnswer, "text" | "failed" | "kept" | "shown">;

export interface ModelToolSources {
  readonly drillIn: DrillIn;
  readonly toolNames: DrillInToolNames;
  readonly toolShapes: readonly ToolShape[];
  readonly sweep: () => Promise<readonly StoredArtifact[]>;
}

export function modelTools(sources: ModelToolSources): readonly ModelTool[] {
  const { drillIn, toolNames, toolShapes } = sources;
  const usual = drillIn.tools.flatMap(({ key, description, schema }): ModelTool[] => {
    const name = toolNames[key];
    const isShaped = toolShapes.some(({ tool }) => tool === key);
    if (name === undefined || isShaped) return [];
    const parameters = shownParameters(schema);
    return [{ name, description, parameters, run: (args, call) => drillIn.run(key, args, call) }];
  });
  return [...usual, ...toolShapes.map((shape) => shapedTool(shape, sources))];
}

function shapedTool(shape: ToolShape, sources: ModelToolSources): ModelTool {
  const { name, description, schema } = shape;
  return {
    name,
    description,
    parameters: shownParameters(schema),
    async run(raw, call) {
      const { tool, args } = shape.call(unwrapped(raw));
      if (tool !== "cleanup") return await sources.drillIn.run(tool, args, call);
      const removed = await sources.sweep();
      const removed_bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const text = JSON.stringify({ removed_files: removed.length, removed_bytes });
      return { text, failed: false };
    },
  };
}
