import { randomBytes } from "node:crypto";

import { artifactFileName, newArtifactId, scopeOf } from "../../store/naming.js";
import type { NewArtifact } from "../../store/artifact-store.js";

/** What the doctor stores to see whether storing works: two records, without a header line. */
export const PROBE_BODY: Uint8Array = Buffer.from('{"word":"cat"}\n{"word":"dog"}\n');
/** Should the doctor die, a sweep removes the probe. */
const TTL_MS = 60_000;

/** The record for {@link PROBE_BODY}, in a session that nobody else has. */
export function probeArtifact(nowMs: number): NewArtifact {
  const id = newArtifactId(nowMs);
  const kind = "json-lines";
  const layout = "records";
  return {
    id,
    fileName: artifactFileName({ prefix: "atlatl", operation: "doctor", id, layout, kind }),
    kind,
    layout,
    encoding: "utf-8",
    toolName: "doctor",
    operation: "doctor",
    detail: "full",
    sizeBytes: PROBE_BODY.length,
    headerBytes: 0,
    lineCount: 2,
    recordCount: 2,
    tokens: 10,
    tokensExact: false,
    recipes: [],
    fields: ["word"],
    createdAt: nowMs,
    expiresAt: nowMs + TTL_MS,
    scope: scopeOf(randomBytes(16).toString("hex")),
  };
}
