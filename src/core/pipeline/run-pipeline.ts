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
  /** Both or neither; `undefined` when the descriptor would save nothing. */
  storeAndDescribe(
    call: Call,
    encoded: EncodedOutput,
    decision: StoreDecision,
  ): Promise<Kept | undefined>;
  offloaded(call: Call, payload: Pick<Payload, "keptBlocks">, done: Done): Promise<OffloadResult>;
  /** Lets go of what `hold` has opened. Never rejects. */
  release(payload: Payload | undefined): Promise<void>;
}

interface Done {
  readonly kept: Kept;
  readonly decision: StoreDecision;
  readonly durationMs: number;
}

/**
 * content -> measure -> decide -> store -> describe. A short output, as most are, is through at once.
 *
 * @throws {@link StreamFault} with what the tool's own stream throws; and what the policy's `recover` throws.
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
    // content, and of a stream as much as it takes; measure and decide
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

    // store and describe; where that would save nothing, the output stays and nothing is stored
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
