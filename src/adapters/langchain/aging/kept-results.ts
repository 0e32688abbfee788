import { createHash } from "node:crypto";

import { internals, type Offloader } from "../../../offload/offloader.js";
import type { InlineResult, KeptResult } from "../../../offload/enter/keep-result.js";
import { scopeOf } from "../../../store/naming.js";
import { keepLatest } from "../../../util/keep-latest.js";

/** Results that were stored lately; the one not used for longest goes first. */
const MAX_RESULTS = 1_000;

/**
 * Stores a result, or finds what it was stored as before: a model call that failed is made again, and the same result then
 * has the same line. This process's only; after a restart it is stored anew. @throws what the store throws
 */
export type Keep = (result: InlineResult) => Promise<KeptResult>;

export function createKept(offloader: Offloader): Keep {
  const { store, options } = offloader;
  const { keepResult } = internals(offloader);
  const results = new Map<string, KeptResult>();

  return async (result) => {
    const key = keyOf(result);
    const known = results.get(key);
    if (known !== undefined && known.storedArtifact.expiresAt > options.now()) {
      const { id, scope } = known.storedArtifact;
      if ((await store.stat(id, scope)) !== undefined) return known;
    }
    const kept = await keepResult(result);
    keepLatest(results, key, kept, MAX_RESULTS);
    return kept;
  };
}

function keyOf({ sessionId, toolName, toolCallId = "", text }: InlineResult): string {
  const parts = JSON.stringify([scopeOf(sessionId), toolName, toolCallId]);
  return createHash("sha256").update(parts).update(text).digest("hex");
}
