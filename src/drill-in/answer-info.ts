import type { DrillInTool } from "./tool-schemas.js";

/** What is worth knowing about one answer. */
export interface DrillInAnswerInfo {
  readonly tool: DrillInTool;
  /** The name by which the agent knows the tool; `undefined` when it has no such tool. */
  readonly name: string | undefined;
  /** `undefined` when no artifact was found. */
  readonly artifactId: string | undefined;
  /** Of the artifacts that were read beside it, each once; absent without any. */
  readonly otherArtifactIds?: readonly string[];
  /** The hashed session that asked. */
  readonly scope: string;
  readonly answerTokens: number;
  /** Whether the answer says what went wrong instead of giving data. */
  readonly failed: boolean;
  readonly durationMs: number;
}
