import type { ArtifactStore } from "../store/artifact-store.js";
import type { DrillInToolNames, StoredArtifact } from "../types.js";
import type { AnswerMeasure } from "./answer.js";
import type { DataSource } from "./data-source.js";
import type { GrepEngine } from "./grep-engine.js";
import type { JqEngine } from "./jq-engine.js";
import type { DrillInLimits } from "./limits.js";
import type { LineIndex } from "./line-index.js";
import type { SqlEngine } from "./sql-request.js";

/** What every drill-in works with. The engines are started when they are first asked for. */
export interface DrillInContext {
  readonly store: ArtifactStore;
  readonly measure: AnswerMeasure;
  readonly limits: DrillInLimits;
  readonly names: DrillInToolNames;
  indexOf(artifact: StoredArtifact): LineIndex;
  jq(): JqEngine;
  grep(): GrepEngine;
  /** `undefined` when none was given. */
  sql(): SqlEngine | undefined;
}

/** The body of an artifact for an engine: its file where there is one, else its bytes; without the header line. */
export async function sourceOf(
  store: ArtifactStore,
  artifact: StoredArtifact,
): Promise<DataSource> {
  const start = artifact.headerBytes;
  const end = artifact.sizeBytes;
  if (artifact.filePath !== undefined) return { path: artifact.filePath, start, end };
  return { bytes: await store.read(artifact, { start, end }) };
}
