import { z } from "zod";

import type { DrillInLimits } from "../engines/limits.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import type { RunningCall } from "../types/running-call.js";
import type { DrillInAnswer } from "./answer.js";
import { unwrapped } from "./arguments.js";
import type { StatedArguments } from "./calls.js";
import type { DrillIn } from "./drill-in.js";
import { shownParameters } from "./tools.js";

/** What a shaped tool asks for: a drill-in with its own arguments, or the sweep of what has expired. */
interface ShapedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A drill-in under another name and with other arguments. */
export interface ToolShape {
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  /** Lenient like the drill-ins' own: what it lets pass, the drill-in checks. */
  readonly schema: z.ZodObject;
  /** Longest answer that a call can ask for, where that is more than the agent's. */
  readonly maxTokens?: number | undefined;
  /** Names of this tool's arguments by those of the drill-in; names that are not here are the same. */
  readonly names: Readonly<Record<string, string>>;
  /** The drill-in call that these arguments mean. Never throws. */
  readonly call: (args: unknown) => ShapedCall;
  /** The other way round: the drill-in's arguments of a call on this output, as the tool takes them. */
  readonly state: (
    args: StatedArguments,
    artifact: Pick<StoredArtifact, "fileName">,
  ) => StatedArguments;
}

/** What a shape is made of. */
export interface ToolShapeOptions {
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
  readonly names?: Readonly<Record<string, string>>;
  /** Longest answer in tokens that a call can ask for. @defaultValue four times `drillIn.maxAnswerTokens` */
  readonly maxTokens?: number;
  /** Changes the renamed arguments, to set a default or turn a meaning round. */
  readonly adapt?: (args: StatedArguments) => StatedArguments;
  /** The other way round: changes the drill-in's arguments of a call that an answer states. */
  readonly restate?: ToolShape["state"];
}

/** Makes a tool shape. Arguments that it does not name are understood too, and no answer ever names them. */
export function toolShape(options: ToolShapeOptions): ToolShape {
  const { tool, name, description, fields, names = {}, maxTokens } = options;
  const { adapt = (args) => args, restate = (args) => args } = options;
  const own = new Map(Object.entries(names).map(([ours, theirs]) => [theirs, ours]));
  return {
    tool,
    name,
    description,
    schema: z.looseObject(fields),
    names,
    maxTokens,
    call: (args) => ({
      tool,
      args: adapt(
        Object.fromEntries(entriesOf(args).map(([key, value]) => [own.get(key) ?? key, value])),
      ),
    }),
    state: (args, artifact) =>
      Object.fromEntries(
        Object.entries(restate(args, artifact)).map(([key, value]) => [names[key] ?? key, value]),
      ),
  };
}

function entriesOf(args: unknown): readonly (readonly [string, unknown])[] {
  return typeof args === "object" && args !== null ? Object.entries(args) : [];
}

/** A tool as a model is offered it, whatever carries it: an agent, a graph or a protocol. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /**
   * JSON Schema of what the model is shown; the tool itself takes any arguments and answers what it does not
   * understand.
   */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Runs one call. Rejects only with the reason of its signal when it aborts.
   *
   * @param args - What the model passed, unchecked.
   */
  readonly run: (
    args: unknown,
    call: RunningCall,
  ) => Promise<Pick<DrillInAnswer, "text" | "failed" | "kept" | "shown">>;
}

/** What the tools are made from. */
export interface ModelToolSources {
  readonly drillIn: DrillIn;
  readonly toolNames: DrillInToolNames;
  /** Tools that stand in for usual ones. */
  readonly toolShapes: readonly ToolShape[];
  readonly sweep: () => Promise<readonly StoredArtifact[]>;
  /** Of what is resolved, the lengths that an answer may have. */
  readonly options: { readonly drillInLimits: DrillInLimits };
}

/** The tools of an agent: the usual ones that have a name, in the shapes that stand in for them. */
export function modelTools(sources: ModelToolSources): readonly ModelTool[] {
  const { drillIn, toolNames, toolShapes, options } = sources;
  const usual = drillIn.tools.flatMap(({ key, description, schema }): ModelTool[] => {
    const name = toolNames[key];
    const isShaped = toolShapes.some(({ tool }) => tool === key);
    if (name === undefined || isShaped) return [];
    const parameters = shownParameters(schema, options.drillInLimits);
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
      return tool === "cleanup"
        ? { text: cleanupAnswer(await sources.sweep()), failed: false }
        : await sources.drillIn.run(tool, args, call);
    },
  };
}

/** What the cleanup tool answers. */
function cleanupAnswer(removed: readonly StoredArtifact[]): string {
  const bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return JSON.stringify({ removed_files: removed.length, removed_bytes: bytes });
}
