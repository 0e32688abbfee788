import { z } from "zod";

import type { StoredArtifact } from "../types/artifact.js";
import type { StatedArguments } from "./shared/call-printer.js";

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

/** What the cleanup tool answers. */
export function cleanupAnswer(removed: readonly StoredArtifact[]): string {
  const bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return JSON.stringify({ removed_files: removed.length, removed_bytes: bytes });
}
