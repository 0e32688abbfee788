import type { OffloadListener } from "../types/events.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInTool } from "../types/plugin.js";
import type { RunningCall } from "../types/running-call.js";
import type { PartialAnswer } from "./shared/answer/answer.js";
import type { CheckedArguments } from "./shared/arguments.js";
import type { DrillInContext } from "./shared/context.js";
import type { DrillInToolDefinition } from "./shared/tool-schemas.js";

/** One call of a drill-in, its arguments checked. */
export interface Ask {
  readonly args: CheckedArguments;
  readonly call: RunningCall;
  readonly deeds: Deeds;
}

/** What a call has done so far: it is told of a call that fails too. */
export interface Deeds {
  /** The outputs that it reads, by id, in order. */
  readonly read: Map<string, StoredArtifact>;
  /** What it has stored, in order. */
  readonly kept: StoredArtifact[];
}

/** Whom drill-ins tell. */
export interface AskParts {
  /** Called and waited for before an artifact is read. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  /** Told of results that came back into a context. */
  readonly onEvent?: OffloadListener | undefined;
}

/** A drill-in tool of this library: its answers are made of what was cleaned before, and are within their limit. */
export interface OwnTool extends DrillInToolDefinition {
  /** @throws what becomes a sentence for the model */
  ask(ask: Ask, context: DrillInContext, parts: AskParts): Promise<PartialAnswer>;
}

/** A tool of this library where plug-ins give theirs. */
export function ownTool(tool: OwnTool): DrillInTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `isOwnTool` finds it again.
  return tool as unknown as DrillInTool;
}

export function isOwnTool(tool: DrillInTool | OwnTool): tool is OwnTool {
  return "ask" in tool;
}

/** What an answer tells of them. */
export function toldOf({ read, kept }: Deeds): {
  readonly artifactId: string | undefined;
  readonly otherArtifactIds?: readonly string[];
  readonly kept?: readonly StoredArtifact[];
} {
  const [artifactId, ...otherArtifactIds] = read.keys();
  return {
    artifactId,
    ...(otherArtifactIds.length > 0 && { otherArtifactIds }),
    ...(kept.length > 0 && { kept }),
  };
}
