import { tmpdir } from "node:os";

import type { CharactersVerdict, OffloadEvent } from "../types/events.js";
import { CHARACTERS_PER_TOKEN } from "../measure/characters.js";
import type { Measurement } from "../types/content.js";
import { tokenCounter, type TokenMeasure } from "../measure/measure.js";
import type { ResolvedOffloadOptions, ResolvedToolOptions } from "../options/options.js";
import { pause } from "../../util/pause.js";
import { openPayload } from "./payload/payload.js";
import { shorten } from "./shorten.js";
import type { StoredOutputs } from "./stored-outputs.js";
import type { Steps } from "./walk.js";

/**
 * The specification's heuristic where it says otherwise than the measure that decides, and than what became of the output;
 * `undefined` also where no threshold is in tokens.
 */
function verdictByCharacters(
  { characters, tokens: measuredTokens }: Measurement,
  { thresholdTokens }: ResolvedToolOptions,
  became: "kept" | "offloaded",
): CharactersVerdict | undefined {
  if (thresholdTokens === undefined) return undefined;
  const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  const offloads = tokens > thresholdTokens;
  const isSame = offloads === measuredTokens > thresholdTokens;
  // A text, or a turn's budget, has a limit of its own.
  return isSame || offloads === (became === "offloaded") ? undefined : { tokens, offloads };
}

export function createSteps(
  resolved: Pick<ResolvedOffloadOptions, "maxOutputBytes" | "temporaryDirectory" | "store">,
  measure: TokenMeasure,
  { storeAndDescribe, lifetime }: Pick<StoredOutputs, "storeAndDescribe" | "lifetime">,
  countOutput: (sessionKey: string) => void,
): Steps {
  const count = tokenCounter(measure);
  const { maxOutputBytes: maxBytes, temporaryDirectory: directory = tmpdir() } = resolved;
  const place = { directory, isEncrypted: resolved.store.bodies === "sealed" };
  const opening = { maxBytes, place, count };
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
    count: ({ sessionKey }) => countOutput(sessionKey),
    shorten: (call, payload, verdict) => shorten(call, payload, verdict, count),
    storeAndDescribe,
    kept(call, { measurement }) {
      const byCharacters = verdictByCharacters(measurement, call.options, "kept");
      if (byCharacters === undefined) return;
      const { output, sessionKey, notify } = call;
      const { toolName, toolCallId } = output;
      const { tokens } = measurement;
      notify({ type: "kept-inline", toolName, toolCallId, sessionKey, tokens, byCharacters });
    },
    async offloaded({ output, options, notify }, { keptBlocks }, { kept, verdict, durationMs }) {
      const { storedArtifact, descriptor } = kept;
      const byCharacters = verdictByCharacters(verdict.measurement, options, "offloaded");
      await lifetime.stored(storedArtifact, output.turn);
      const { form, text, tokens: descriptorTokens } = descriptor;
      const event: OffloadEvent = {
        type: "offloaded",
        storedArtifact,
        toolCallId: output.toolCallId,
        reason: verdict.reason,
        form,
        descriptorTokens,
        tokensSaved: storedArtifact.tokens - descriptorTokens,
        tokensExact: storedArtifact.tokensExact,
        ...(byCharacters && { byCharacters }),
        durationMs,
      };
      notify(event, { descriptor: text });
      return { outcome: "offloaded", text, descriptor, storedArtifact, keptBlocks };
    },
    async release(payload) {
      underWay -= 1;
      await payload?.close();
    },
  };
}
