import type { StoredArtifact } from "../../types/artifact.js";
import { keepLatest } from "../../../util/keep-latest.js";

const MAX_SEEN_ARTIFACTS = 1000;

/** The artifacts that were met lately; tells one that expired from one that never was. */
export interface SeenArtifacts {
  remember(artifact: StoredArtifact): void;
  /** The artifact as it was when last seen, if it belongs to `scope`. */
  recall(id: string, scope: string): StoredArtifact | undefined;
  /** Those of `scope` whose time was not over and that were not deleted to make room, newest first. */
  newest(scope: string, nowMs: number, count: number): readonly StoredArtifact[];
  /** The newest of `scope` with this title whose time was not over. */
  titled(title: string, scope: string, nowMs: number): StoredArtifact | undefined;
  /** Notes that an artifact was deleted to make room. */
  markEvicted(artifact: StoredArtifact): void;
  /** Whether the artifact was deleted to make room. */
  isEvicted(id: string): boolean;
}

/** Creates a memory of the latest 1,000 artifacts; the one not seen for longest goes first. */
export function createSeenArtifacts(): SeenArtifacts {
  const artifacts = new Map<string, StoredArtifact>();
  const evicted = new Map<string, true>();
  const inTime = (scope: string, nowMs: number): StoredArtifact[] =>
    [...artifacts.values()].filter(
      (artifact) =>
        artifact.scope === scope && artifact.expiresAt > nowMs && !evicted.has(artifact.id),
    );
  return {
    remember: (artifact) => {
      keepLatest(artifacts, artifact.id, artifact, MAX_SEEN_ARTIFACTS);
    },
    recall: (id, scope) => {
      const artifact = artifacts.get(id);
      return artifact?.scope === scope ? artifact : undefined;
    },
    newest: (scope, nowMs, count) =>
      inTime(scope, nowMs)
        .toReversed()
        .toSorted((one, other) => other.createdAt - one.createdAt)
        .slice(0, count),
    titled: (title, scope, nowMs) =>
      inTime(scope, nowMs).findLast((artifact) => artifact.title === title),
    markEvicted: (artifact) => {
      keepLatest(artifacts, artifact.id, artifact, MAX_SEEN_ARTIFACTS);
      keepLatest(evicted, artifact.id, true, MAX_SEEN_ARTIFACTS);
    },
    isEvicted: (id) => evicted.has(id),
  };
}
