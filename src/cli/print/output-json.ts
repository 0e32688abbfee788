import type { StoredArtifact } from "../../core/types/artifact.js";
import { date } from "./units.js";

/** An output as `ls --json` lists it; `show --json` adds to it. Times are ISO 8601 in UTC. */
export interface OutputJson {
  readonly id: string;
  readonly file_path: string | undefined;
  readonly tool: string;
  readonly kind: string;
  readonly layout: string;
  /** Absent when the output has no records. */
  readonly records: number | undefined;
  readonly lines: number;
  readonly size_bytes: number;
  readonly tokens: number;
  readonly created_at: string;
  readonly expires_at: string;
  /** SHA-256 of the session, in hex. */
  readonly session_hash: string;
  /** The id of the key, which this program has not; all that is known of the output needs it. Absent for plain ones. */
  readonly encrypted_with?: string;
}

/** What of an artifact is printed. */
export function outputJson(artifact: StoredArtifact): OutputJson {
  return {
    id: artifact.id,
    file_path: artifact.filePath,
    tool: artifact.toolName,
    kind: artifact.kind,
    layout: artifact.layout,
    records: artifact.recordCount,
    lines: artifact.lineCount,
    size_bytes: artifact.sizeBytes,
    tokens: artifact.tokens,
    created_at: date(artifact.createdAt),
    expires_at: date(artifact.expiresAt),
    session_hash: artifact.scope,
    ...(artifact.sealed && { encrypted_with: artifact.sealed.keyId }),
  };
}
