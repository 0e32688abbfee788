import type { BaseMessage } from "@langchain/core/messages";

import type { Offloader } from "../../../core/pipeline/offloader.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { inLanes } from "../../../util/slices.js";
import { markedResults } from "./messages/marked-results.js";

/** A conversation that nobody has continued for so long has to expect that its aged results are gone, in milliseconds. */
const THREAD_LIFE_MS = 30 * 86_400_000;
/** Lives are prolonged once in so long, in milliseconds. */
const BETWEEN_MS = 86_400_000;
/** Outputs of which it is known that they live long enough. */
const MAX_KNOWN = 100_000;
const AT_ONCE = 8;

/** Lets what the marks of a conversation name live as long as the conversation, where nothing else holds it. */
export interface Prolonging {
  /** How long what is stored has to live at least; `undefined` where the state holds it too. */
  readonly lifeMs: number | undefined;
  /** Never rejects. */
  prolong(messages: readonly BaseMessage[]): Promise<void>;
}

/** Creates it for an offloader's conversations. */
export function createProlonging(
  { store, options }: Offloader,
  mode: "mark" | "replace",
): Prolonging {
  if (mode !== "replace") return { lifeMs: undefined, prolong: async () => {} };
  const lifeMs = Math.max(options.ttlMs, THREAD_LIFE_MS);
  const known = new Map<string, number>();

  return {
    lifeMs,
    async prolong(messages) {
      const nowMs = options.now();
      const due = markedResults(messages).filter(({ id }) => (known.get(id) ?? 0) <= nowMs);
      await inLanes(due, AT_ONCE, async ({ id, scope }) => {
        try {
          const isMoved = await store.refresh?.(id, scope, nowMs + lifeMs);
          // Another call may have been about to move it, and to an earlier time.
          const found = isMoved === true ? undefined : await store.stat(id, scope);
          if (found !== undefined && found.expiresAt < nowMs + lifeMs - BETWEEN_MS) return;
          keepLatest(known, id, nowMs + BETWEEN_MS, MAX_KNOWN);
        } catch {
          // The next call tries again; it has a life of weeks left.
        }
      });
    },
  };
}
