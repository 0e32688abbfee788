import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInTool } from "./tool-schemas.js";

/** Arguments by the drill-in's own names; those that are `undefined` are left out. */
export type StatedArguments = Readonly<Record<string, unknown>>;

/** An argument that holds values by name: of variables, of a recipe, of other outputs. */
export type HoldingArgument = "args" | "params" | "with";

/** Writes calls as the agent makes them, so that an answer needs no change after it was fitted to its limit. */
export interface CallPrinter {
  /** A whole call on one output, which the printer names itself. */
  call(tool: DrillInTool, artifact: StoredArtifact, args: StatedArguments): string;
  /** One argument within a sentence. */
  argument(tool: DrillInTool, name: string, value: unknown): string;
  /** How to switch an argument on: `set slurp to true`. */
  switchOn(tool: DrillInTool, name: string): string;
  /** An entry of an argument that holds several, with its value left open: `args: {"a": …}`. */
  entry(tool: DrillInTool, name: HoldingArgument, key: string): string;
  /** What an argument is called. */
  nameOf(tool: DrillInTool, name: string): string;
}

/** The argument that says which output a call is on. */
export function locatorOf(tool: DrillInTool, artifact: StoredArtifact): StatedArguments {
  return tool === "extract"
    ? { file_path: artifact.filePath ?? artifact.fileName }
    : { id: artifact.id };
}
