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
import type { CallPrinter } from "./calls.js";
import type { LineIndex } from "./line-index.js";
import type { DrillInToolDefinition } from "./tools.js";

/** What every drill-in works with. The engines are started when they are first asked for. */
export interface DrillInContext {
  readonly store: ReadingStore;
  readonly measure: AnswerMeasure;
  readonly limits: DrillInLimits;
  readonly names: DrillInToolNames;
  readonly calls: CallPrinter;
  readonly seen: SeenArtifacts;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  readonly onEvent?: OffloadListener | undefined;
  /** Told of an output that the store has lost before its time. */
  readonly onMissing?: ((artifact: StoredArtifact) => void) | undefined;
  readonly bodyCache: BodyCache;
  indexOf(artifact: StoredArtifact): LineIndex;
  jq(): JqEngine;
  grep(): GrepEngine;
  sql(): SqlEngine | undefined;
}

/** The artifacts that were met lately; tells one that expired from one that never was. */
export interface SeenArtifacts {
  remember(artifact: StoredArtifact): void;
  recall(id: string, sessionKey: string): StoredArtifact | undefined;
  /** Those of `sessionKey` whose time was not over and that were not deleted to make room, newest first. */
  newest(sessionKey: string, nowMs: number, count: number): readonly StoredArtifact[];
  /** The newest of `sessionKey` with this title whose time was not over. */
  titled(title: string, sessionKey: string, nowMs: number): StoredArtifact | undefined;
  markEvicted(artifact: StoredArtifact): void;
  isEvicted(id: string): boolean;
}

/** One call of a drill-in, its arguments checked. */
export interface Ask {
  readonly args: CheckedArguments;
  readonly call: RunningCall;
  readonly accessLog: AccessLog;
}

export interface NamedOutput {
  readonly name: string;
  readonly artifact: StoredArtifact;
  readonly reference: string;
}

export interface Question {
  readonly context: DrillInContext;
  readonly artifact: StoredArtifact;
  readonly args: CheckedArguments;
  readonly signal: AbortSignal | undefined;
  readonly others: readonly NamedOutput[];
  readonly refuse: (sentence: string, mostTokens?: number) => Promise<PartialAnswer>;
  /**
   * The last line of an answer that is not all: the same question at another place. `undefined` where the tool cannot be
   * asked for it.
   *
   * @param place - Arguments that differ; `undefined` leaves one out.
   */
  readonly next: (
    place: Readonly<Record<string, number | boolean | undefined>>,
  ) => string | undefined;
}

/** What a call has done so far: it is told of a call that fails too. */
export interface AccessLog {
  readonly read: Map<string, StoredArtifact>;
  readonly kept: StoredArtifact[];
}

/** A drill-in tool of this library: its answers are made of what was cleaned before, and are within their limit. */
export interface OwnTool extends DrillInToolDefinition {
  /** @throws what becomes a sentence for the model */
  ask(ask: Ask, context: DrillInContext): Promise<PartialAnswer>;
}

export function ownTool(tool: OwnTool): DrillInTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `isOwnTool` finds it again.
  return tool as unknown as DrillInTool;
}

export function isOwnTool(tool: DrillInTool | OwnTool): tool is OwnTool {
  return "ask" in tool;
}
