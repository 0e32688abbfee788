import { createHash } from "node:crypto";

import { type Gist, gistOf } from "../../../plugins/aging/gist.js";
import type { InlineResult } from "../../../core/pipeline/enter/keep-result.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { keepLatest } from "../../../util/keep-latest.js";

/** A text that was stored, and what it is about. */
interface Kept {
  readonly storedArtifact: StoredArtifact;
  readonly gist: Gist;
}

/**
 * Stores a text, or finds what it was stored as before: a model call that failed is made again, and the same result then
 * has the same line. This process's only; after a restart it is stored anew.
 *
 * @param words - What its gist is made of, where the text is only an envelope.
 * @throws what the store throws.
 */
export type Keep = (result: InlineResult, words?: string) => Promise<Kept>;

/** Texts that were stored lately; the one not used for longest goes first. */
const MAX_RESULTS = 1_000;

/** Creates a memory of the latest 1,000 texts that have left. */
export function createKept({ store, now, keepAsCame }: CoreApi): Keep {
  const latest = new Map<string, Kept>();

  return async (result, words) => {
    const key = keyOf(result);
    const known = latest.get(key);
    if (known !== undefined && known.storedArtifact.expiresAt > now()) {
      const { id, scope } = known.storedArtifact;
      if ((await store.stat(id, scope)) !== undefined) return known;
    }
    const { storedArtifact, text, content } = await keepAsCame(result);
    // Of what was redacted in an envelope the words still have all.
    const ofWords = text === result.text ? gistOf(words ?? "", {}) : {};
    const kept = { storedArtifact, gist: words === undefined ? gistOf(text, content) : ofWords };
    keepLatest(latest, key, kept, MAX_RESULTS);
    return kept;
  };
}

function keyOf({ sessionId, toolName, toolCallId = "", text }: InlineResult): string {
  const parts = JSON.stringify([scopeOf(sessionId), toolName, toolCallId]);
  return createHash("sha256").update(parts).update(text, "utf16le").digest("hex");
}
