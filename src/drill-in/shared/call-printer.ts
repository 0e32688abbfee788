import type { StoredArtifact } from "../../types.js";
import type { DrillInTool } from "./tool-schemas.js";

/** Arguments by the drill-in's own names; those that are `undefined` are left out. */
export type StatedArguments = Readonly<Record<string, unknown>>;

/** Writes calls as the agent makes them, so that an answer needs no change after it was fitted to its limit. */
export interface CallPrinter {
  /** A whole call on one output, which the printer names itself. */
  call(tool: DrillInTool, artifact: StoredArtifact, args: StatedArguments): string;
  /** One argument within a sentence. */
  argument(tool: DrillInTool, name: string, value: unknown): string;
  /** What an argument is called. */
  nameOf(tool: DrillInTool, name: string): string;
}

/** The argument that says which output a call is on. */
export function locatorOf(tool: DrillInTool, artifact: StoredArtifact): StatedArguments {
  return tool === "extract"
    ? { file_path: artifact.filePath ?? artifact.fileName }
    : { id: artifact.id };
}
