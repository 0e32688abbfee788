import type { StoredArtifact } from "../types/artifact.js";
import type { CheckedArguments } from "./shared/arguments.js";
import type { RunningCall } from "../types/running-call.js";

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
