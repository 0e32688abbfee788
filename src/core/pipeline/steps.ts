import { pause } from "../../util/pause.js";
import { identifyContent } from "../content/identify.js";
import type { InlineLimits } from "../decide/gate.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail, usualNotice } from "../describe/head-and-tail.js";
import { partNotice } from "../describe/next-page.js";
import { CHARACTERS_PER_TOKEN } from "../measure/characters.js";
import { type TokenMeasure, tokenCounter } from "../measure/measure.js";
import type { SizeLimit } from "../measure/size-limit.js";
import type { ResolvedOffloadOptions, ResolvedToolOptions } from "../options/options.js";
import type { Measurement } from "../types/content.js";
import type { CharactersDecision, OffloadEvent } from "../types/events.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, Payload, ShortenDecision } from "./call.js";
import type { Lifetime } from "../store/lifetime.js";
import { inlineExcerpt } from "./inline.js";
import { openPayload } from "./payload.js";
import type { Steps } from "./run-pipeline.js";
import { tmpdir } from "node:os";

/**
 * `undefined` if the specification's heuristic agrees with the measure or the outcome, or without a token threshold.
 */
function decisionByCharacters(
  { characters, tokens: measuredTokens }: Measurement,
  { thresholdTokens }: ResolvedToolOptions,
  became: "kept" | "offloaded",
): CharactersDecision | undefined {
  if (thresholdTokens === undefined) return undefined;
  const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  const offloads = tokens > thresholdTokens;
  const isSame = offloads === measuredTokens > thresholdTokens;
  // Text limits and turn budgets differ from the threshold.
  return isSame || offloads === (became === "offloaded") ? undefined : { tokens, offloads };
}

export interface StoredParts {
  readonly storeAndDescribe: Steps["storeAndDescribe"];
  readonly lifetime: Lifetime;
}

export function createSteps(
  resolved: Pick<ResolvedOffloadOptions, "maxOutputBytes" | "temporaryDirectory" | "store">,
  measure: TokenMeasure,
  { storeAndDescribe, lifetime }: StoredParts,
  countOutput: (sessionKey: string) => void,
): Steps {
  const count = tokenCounter(measure);
  const { maxOutputBytes: maxBytes, temporaryDirectory: directory = tmpdir() } = resolved;
  const place = { directory, isEncrypted: resolved.store.bodies === "sealed" };
  const opening = { maxBytes, place, count };
  let underWay = 0;

  async function ownTurn(): Promise<void> {
    if (underWay > 1) await pause();
  }

  return {
    async hold(call) {
      underWay += 1;
      return await openPayload(call, opening, ownTurn);
    },
    count: ({ sessionKey }) => countOutput(sessionKey),
    shorten: (call, payload, decision) => shorten(call, payload, decision, count),
    storeAndDescribe,
    kept(call, { measurement }) {
      const byCharacters = decisionByCharacters(measurement, call.options, "kept");
      if (byCharacters === undefined) return;
      const { output, sessionKey, notify } = call;
      const { toolName, toolCallId } = output;
      const { tokens } = measurement;
      notify({ type: "kept-inline", toolName, toolCallId, sessionKey, tokens, byCharacters });
    },
    async offloaded({ output, options, notify }, { keptBlocks }, { kept, decision, durationMs }) {
      const { storedArtifact, descriptor } = kept;
      const byCharacters = decisionByCharacters(decision.measurement, options, "offloaded");
      await lifetime.stored(storedArtifact, output.turn);
      const { form, text, tokens: descriptorTokens } = descriptor;
      const event: OffloadEvent = {
        type: "offloaded",
        storedArtifact,
        toolCallId: output.toolCallId,
        reason: decision.reason,
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

type Count = (text: string) => Promise<number>;

/** With the next-page cursor between them. Returned whole if that is no longer. */
async function shorten(
  call: Call,
  payload: Payload,
  decision: ShortenDecision,
  count: Count,
): Promise<OffloadResult> {
  const { output } = payload;
  const excerpt = await payload.excerpt();
  const { text: whole, missing, measurement = decision.measurement } = excerpt;
  const { nextPage, toolName } = output;
  const content = excerpt.content ?? { ...(await identifyContent(whole)), nextPage };
  const limit = sizeLimit(call, decision.limits);
  const part = await partNotice(content, { toolName, limit, count });
  const { text, droppedBytes } = await headAndTail({
    text: whole,
    limit,
    count,
    missing,
    notice: (dropped) => `${usualNotice(dropped)}${part === "" ? "" : `[${part}]\n`}`,
  });
  if (droppedBytes === 0) return inlineExcerpt(payload, text, call.options);
  return await truncated(call, payload, { text, measurement, count, reason: decision.reason });
}

export async function truncated(
  { output, sessionKey, notify }: Call,
  { keptBlocks }: Payload,
  cut: {
    readonly text: string;
    readonly measurement: Measurement;
    readonly reason: string;
    readonly count: Count;
    readonly error?: unknown;
  },
): Promise<OffloadResult> {
  const { text, measurement, reason, count, error } = cut;
  notify({
    type: "truncated",
    reason,
    toolName: output.toolName,
    toolCallId: output.toolCallId,
    sessionKey,
    totalTokens: measurement.tokens,
    returnedTokens: await count(text),
  });
  return { outcome: "truncated", text, keptBlocks, error };
}

export function sizeLimit({ output, options }: Call, limits: InlineLimits): SizeLimit {
  const isLimited = limits.tokens !== undefined || limits.bytes !== undefined;
  const { tokens, bytes } = isLimited
    ? limits
    : roomInWindow(output.conversation, options.contextWindowTokens);
  return { tokens: tokens?.limitTokens, bytes: bytes?.limitBytes };
}
