import { StreamFault } from "../content/stream/held-stream.js";
import type { OffloadResult } from "../types/result.js";
import type {
  Call,
  EncodedOutput,
  KeepDecision,
  Payload,
  ShortenDecision,
  StoreDecision,
  Decision,
} from "./call.js";
import { inlineResult } from "./inline.js";
import type { Kept } from "./repeated-outputs.js";

export interface Steps {
  hold(call: Call): Promise<Payload>;
  count(call: Call): void;
  kept(call: Call, decision: KeepDecision): void;
  shorten(call: Call, payload: Payload, decision: ShortenDecision): Promise<OffloadResult>;
  /** Both or neither; `undefined` if the descriptor saves nothing. */
  storeAndDescribe(
    call: Call,
    encoded: EncodedOutput,
    decision: StoreDecision,
  ): Promise<Kept | undefined>;
  offloaded(call: Call, payload: Pick<Payload, "keptBlocks">, done: Done): Promise<OffloadResult>;
  /** Never rejects. */
  release(payload: Payload | undefined): Promise<void>;
}

interface Done {
  readonly kept: Kept;
  readonly decision: StoreDecision;
  readonly durationMs: number;
}

/**
 * content -> measure -> decide -> store -> describe. Short outputs return synchronously.
 *
 * @throws {@link StreamFault} with the error of the tool's own stream; errors of the policy's `recover`.
 */
export function runPipeline(call: Call, steps: Steps): OffloadResult | Promise<OffloadResult> {
  if (!call.policy.isShort(call)) return runSteps(call, steps);
  steps.count(call);
  return inlineResult(call.output, call.options);
}

async function runSteps(call: Call, steps: Steps): Promise<OffloadResult> {
  const { policy, options } = call;
  let payload: Payload | undefined;
  let decision: Decision | undefined;
  let encoded: EncodedOutput | undefined;
  try {
    // content, as much of a stream as needed; measure and decide
    for (payload = await steps.hold(call); ; payload = await decision.more()) {
      payload = await policy.select(payload, options);
      decision = await policy.decide(payload, call);
      if (decision.action !== "read-more") break;
    }
    if (decision.action === "pass-on") return inlineResult(payload.output, {});
    steps.count(call);
    if (decision.action === "keep-inline") {
      steps.kept(call, decision);
      return inlineResult(payload.output, options);
    }
    if (decision.action === "shorten") return await steps.shorten(call, payload, decision);

    // store and describe, unless that saves nothing
    const startedAt = performance.now();
    encoded = await payload.encode();
    const kept = await steps.storeAndDescribe(call, encoded, decision);
    if (kept === undefined) return inlineResult(payload.output, options);
    const durationMs = performance.now() - startedAt;
    return await steps.offloaded(call, payload, { kept, decision, durationMs });
  } catch (error) {
    if (error instanceof StreamFault) throw error;
    return await policy.recover(error, { call, payload, decision, encoded });
  } finally {
    await steps.release(payload);
  }
}
