import { tmpdir } from "node:os";

import { pause } from "../../util/pause.js";
import { withDeadline } from "../../util/abort.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { CHARACTERS_PER_TOKEN } from "../measure/characters.js";
import { type TokenMeasure, tokenCounter } from "../measure/measure.js";
import type { ResolvedOffloadOptions, ResolvedToolOptions } from "../options/options.js";
import type { Lifetime } from "../store/lifetime.js";
import type { Measurement } from "../types/content.js";
import type { CharactersDecision, OffloadEvent } from "../types/events.js";
import type { OffloadedOutput, OffloadResult } from "../types/result.js";
import type { Call, Decision, EncodedOutput, Payload, StoreDecision } from "./call.js";
import { always, isShort, within } from "./decisions.js";
import { inlineResult } from "./inline.js";
import { openPayload } from "./payload.js";
import type { Shortening } from "./shorten.js";
import type { StoreAndDescribe } from "./store-and-describe.js";
import { createTurnDecisions } from "./turn-decisions.js";

interface RunParts extends Pick<Shortening, "shorten" | "recover"> {
  readonly options: ResolvedOffloadOptions;
  readonly measure: TokenMeasure;
  readonly storeAndDescribe: StoreAndDescribe;
  readonly lifetime: Pick<Lifetime, "stored">;
  readonly countOutput: (sessionKey: string) => void;
}

export interface RunPipeline {
  /**
   * content -> measure -> decide -> store -> describe. Short outputs return synchronously.
   *
   * @throws {@link StreamFault} with the error of the tool's own stream; {@link OffloadError} for what code stores.
   */
  readonly runPipeline: (call: Call) => OffloadResult | Promise<OffloadResult>;
  /** The last two steps; `undefined` if they save nothing. */
  readonly storeOutput: (
    call: Call,
    encoded: EncodedOutput,
    decision: Omit<StoreDecision, "action" | "limitsIfLost">,
    about?: { readonly startedAt: number } & Pick<Payload, "keptBlocks">,
  ) => Promise<OffloadedOutput | undefined>;
}

export function createRunPipeline(parts: RunParts): RunPipeline {
  const { options: resolved, measure, storeAndDescribe, lifetime, countOutput } = parts;
  const {
    maxOutputBytes: maxBytes,
    temporaryDirectory: directory = tmpdir(),
    turnBudget,
  } = resolved;
  const place = { directory, isEncrypted: resolved.store.bodies === "sealed" };
  const opening = { maxBytes, place, count: tokenCounter(measure) };
  const inTurn = turnBudget && createTurnDecisions(turnBudget, measure);
  let underWay = 0;

  async function ownTurn(): Promise<void> {
    if (underWay > 1) await pause();
  }

  async function decide(payload: Payload, call: Call): Promise<Decision> {
    const own = await (call.isLimited ? within : always)(payload, call, measure);
    return inTurn === undefined || call.source !== "tool" ? own : await inTurn(own, payload, call);
  }

  async function runSteps(call: Call): Promise<OffloadResult> {
    const { options, sessionKey } = call;
    let payload: Payload | undefined;
    let decision: Decision | undefined;
    let encoded: EncodedOutput | undefined;
    underWay += 1;
    try {
      // content, as much of a stream as needed; measure and decide
      for (payload = await openPayload(call, opening, ownTurn); ; payload = await decision.more()) {
        payload = await selected(payload, call);
        decision = await decide(payload, call);
        if (decision.action !== "read-more") break;
      }
      if (decision.action === "pass-on") return inlineResult(payload.output, {});
      countOutput(sessionKey);
      if (decision.action === "keep-inline") {
        tellKept(call, decision.measurement);
        return inlineResult(payload.output, options);
      }
      if (decision.action === "shorten") return await parts.shorten(call, payload, decision);

      // store and describe, unless that saves nothing
      const startedAt = performance.now();
      encoded = await payload.encode();
      const { keptBlocks } = payload;
      const stored = await storeOutput(call, encoded, decision, { startedAt, keptBlocks });
      return stored ?? inlineResult(payload.output, options);
    } catch (error) {
      if (error instanceof StreamFault) throw error;
      return await parts.recover(error, call, { payload, decision, encoded });
    } finally {
      underWay -= 1;
      await payload?.close();
    }
  }

  const storeOutput: RunPipeline["storeOutput"] = async (call, encoded, decision, about) => {
    const { startedAt = performance.now(), keptBlocks = [] } = about ?? {};
    const kept = await storeAndDescribe(call, encoded, decision);
    if (kept === undefined) return undefined;
    const { storedArtifact, descriptor } = kept;
    const durationMs = performance.now() - startedAt;
    await lifetime.stored(storedArtifact, call.output.turn);
    const byCharacters = decisionByCharacters(decision.measurement, call.options, "offloaded");
    const { form, text, tokens: descriptorTokens } = descriptor;
    const event: OffloadEvent = {
      type: "offloaded",
      storedArtifact,
      toolCallId: call.output.toolCallId,
      reason: decision.reason,
      form,
      descriptorTokens,
      tokensSaved: storedArtifact.tokens - descriptorTokens,
      tokensExact: storedArtifact.tokensExact,
      ...(byCharacters && { byCharacters }),
      durationMs,
    };
    call.notify(event, { descriptor: text });
    return { outcome: "offloaded", text, descriptor, storedArtifact, keptBlocks };
  };

  return {
    storeOutput,
    runPipeline(call) {
      if (!isShort(call, resolved)) return runSteps(call);
      countOutput(call.sessionKey);
      return inlineResult(call.output, call.options);
    },
  };
}

const SELECT_MS = 60_000;

/** The whole result set behind an answer of a tool. */
async function selected(payload: Payload, { source, isLimited, options }: Call): Promise<Payload> {
  const { selectResultSet } = options;
  const isAnswer = source === "tool" && isLimited;
  if (!isAnswer || selectResultSet === undefined || !payload.substitute) return payload;
  const late = `selectResultSet gave nothing within ${SELECT_MS} ms.`;
  const select = async (): Promise<unknown> => selectResultSet(payload.output);
  return payload.substitute(await withDeadline({ timeoutMs: SELECT_MS, late }, select));
}

function tellKept({ output, options, sessionKey, notify }: Call, measurement: Measurement): void {
  const byCharacters = decisionByCharacters(measurement, options, "kept");
  if (byCharacters === undefined) return;
  const { toolName, toolCallId } = output;
  const { tokens } = measurement;
  notify({ type: "kept-inline", toolName, toolCallId, sessionKey, tokens, byCharacters });
}

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
