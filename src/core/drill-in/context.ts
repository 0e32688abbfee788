import type { BodyCache } from "../engines/body-cache.js";
import type { GrepEngine } from "../engines/grep/engine.js";
import type { JqEngine } from "../engines/jq/engine.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { SqlEngine } from "../engines/sql/request.js";
import type { ReadingStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { OffloadListener } from "../types/events.js";
import type { DrillInTool } from "../types/plugin.js";
import type { DrillInToolNames } from "../types/result.js";
import type { RunningCall } from "../types/running-call.js";
import type { AnswerMeasure, PartialAnswer } from "./answer.js";
import type { CheckedArguments } from "./arguments.js";
import type { CallPrinter, NextPlace } from "./calls.js";
import type { LineIndex } from "./line-index.js";
import type { DrillInToolDefinition } from "./tools.js";

/** Engines start on first use. */
export interface DrillInContext {
  readonly store: ReadingStore;
  readonly measure: AnswerMeasure;
  readonly limits: DrillInLimits;
  readonly names: DrillInToolNames;
  readonly calls: CallPrinter;
  readonly seen: SeenArtifacts;
  readonly now: () => number;
  /** Returns it with its new expiry. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<StoredArtifact>) | undefined;
  readonly onEvent?: OffloadListener | undefined;
  readonly bodyCache: BodyCache;
  indexOf(artifact: StoredArtifact): LineIndex;
  jq(): JqEngine;
  grep(): GrepEngine;
  sql(): SqlEngine | Promise<SqlEngine> | undefined;
}

/** Tells expired artifacts from unknown ones. */
export interface SeenArtifacts {
  remember(artifact: SeenArtifact): void;
  recall(id: string): SeenArtifact | undefined;
  /** Newest first, gone or not. */
  newest(sessionKey: string): readonly StoredArtifact[];
}

export interface SeenArtifact extends StoredArtifact {
  readonly isEvicted?: true;
}

export interface Ask {
  readonly args: CheckedArguments;
  readonly call: RunningCall;
  readonly accessLog: AccessLog;
}

export interface NamedOutput {
  readonly name: string;
  readonly artifact: StoredArtifact;
}

export interface Question {
  readonly context: DrillInContext;
  readonly artifact: StoredArtifact;
  readonly args: CheckedArguments;
  readonly signal: AbortSignal | undefined;
  readonly others: readonly NamedOutput[];
  /** The last line of an incomplete answer; `undefined` if the tool cannot express it. */
  readonly next: (place: NextPlace) => string | undefined;
}

export interface AccessLog {
  readonly read: Map<string, StoredArtifact>;
  readonly kept: StoredArtifact[];
}

/** Built in: its answers are made of cleaned text, within their limit. */
export interface OwnTool extends DrillInToolDefinition {
  /** @throws Errors that become a sentence for the model. */
  ask(ask: Ask, context: DrillInContext): Promise<PartialAnswer>;
}

export function ownTool(tool: OwnTool): DrillInTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `isOwnTool` finds it again.
  return tool as unknown as DrillInTool;
}

export function isOwnTool(tool: DrillInTool | OwnTool): tool is OwnTool {
  return "ask" in tool;
}
