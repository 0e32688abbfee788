import { tmpdir } from "node:os";

import type { Lifetime } from "../lifecycle/lifetime.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import { scopeOf } from "../store/naming.js";
import { pause } from "../util/pause.js";
import { openPayload } from "./payload.js";
import { shorten } from "./shorten.js";
import type { Keeping } from "./store-and-describe.js";
import type { Steps } from "./walk.js";

/** What the steps work with. */
interface StepParts {
  readonly resolved: Pick<ResolvedOffloadOptions, "streams" | "spool">;
  readonly count: (text: string) => Promise<number>;
  readonly countOutput: (scope: string) => void;
  readonly keeping: Keeping;
  readonly lifetime: Lifetime;
}

/** Makes the steps of the walk. */
export function createSteps({ resolved, count, countOutput, keeping, lifetime }: StepParts): Steps {
  const { maxBytes } = resolved.streams;
  const opening = { maxBytes, directory: resolved.spool?.directory ?? tmpdir(), count };
  let underWay = 0;

  /** A thousand that come at once do not begin in one turn of the event loop. */
  async function ownTurn(): Promise<void> {
    if (underWay > 1) await pause();
  }

  return {
    async hold(call) {
      underWay += 1;
      return await openPayload(call, opening, ownTurn);
    },
    count: ({ output }) => countOutput(scopeOf(output.sessionId)),
    shorten: (call, payload, verdict) => shorten(call, payload, verdict, count),
    storeAndDescribe: (call, encoded, verdict) => keeping.storeAndDescribe(call, encoded, verdict),
    async offloaded({ output, notify }, { keptBlocks }, { kept, reason, durationMs }) {
      const { storedArtifact, descriptor } = kept;
      await lifetime.stored(storedArtifact, output.turn);
      const { form, text, tokens: descriptorTokens } = descriptor;
      notify({
        type: "offloaded",
        storedArtifact,
        toolCallId: output.toolCallId,
        reason,
        form,
        descriptorTokens,
        tokensSaved: storedArtifact.tokens - descriptorTokens,
        tokensExact: storedArtifact.tokensExact,
        durationMs,
      });
      return { outcome: "offloaded", text, descriptor, storedArtifact, keptBlocks };
    },
    async release(payload) {
      underWay -= 1;
      await payload?.close();
    },
  };
}
