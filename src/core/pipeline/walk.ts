import { StreamFault } from "../content/stream/held-stream.js";
import type { OffloadResult } from "../types/result.js";
import type {
  Call,
  EncodedOutput,
  KeptVerdict,
  Payload,
  ShortenVerdict,
  StoreVerdict,
  Verdict,
} from "./call.js";
import { inlineResult } from "./inline.js";
import type { Kept } from "./repeated-outputs.js";

export interface Steps {
  hold(call: Call): Promise<Payload>;
  count(call: Call): void;
  kept(call: Call, verdict: KeptVerdict): void;
  shorten(call: Call, payload: Payload, verdict: ShortenVerdict): Promise<OffloadResult>;
  /** Both or neither; `undefined` when the descriptor would save nothing. */
  storeAndDescribe(
    call: Call,
    encoded: EncodedOutput,
    verdict: StoreVerdict,
  ): Promise<Kept | undefined>;
  offloaded(call: Call, payload: Pick<Payload, "keptBlocks">, done: Done): Promise<OffloadResult>;
  /** Lets go of what `hold` has opened. Never rejects. */
  release(payload: Payload | undefined): Promise<void>;
}

interface Done {
  readonly kept: Kept;
  readonly verdict: StoreVerdict;
  readonly durationMs: number;
}

/**
 * content -> measure -> decide -> store -> describe. A short output, as most are, is through at once.
 *
 * @throws {@link StreamFault} with what the tool's own stream throws; and what the door's `recover` throws.
 */
export function walk(call: Call, steps: Steps): OffloadResult | Promise<OffloadResult> {
  if (!call.door.isShort(call)) return walkWhole(call, steps);
  steps.count(call);
  return inlineResult(call.output, call.options);
}

async function walkWhole(call: Call, steps: Steps): Promise<OffloadResult> {
  const { door, options } = call;
  let payload: Payload | undefined;
  let verdict: Verdict | undefined;
  let encoded: EncodedOutput | undefined;
  try {
    // content, and of a stream as much as it takes; measure and decide
    for (payload = await steps.hold(call); ; payload = await verdict.more()) {
      payload = await door.select(payload, options);
      verdict = await door.decide(payload, call);
      if (verdict.action !== "read-more") break;
    }
    if (verdict.action === "pass-on") return inlineResult(payload.output, {});
    steps.count(call);
    if (verdict.action === "keep-inline") {
      steps.kept(call, verdict);
      return inlineResult(payload.output, options);
    }
    if (verdict.action === "shorten") return await steps.shorten(call, payload, verdict);

    // store and describe; where that would save nothing, the output stays and nothing is stored
    const startedAt = performance.now();
    encoded = await payload.encode();
    const kept = await steps.storeAndDescribe(call, encoded, verdict);
    if (kept === undefined) return inlineResult(payload.output, options);
    const durationMs = performance.now() - startedAt;
    return await steps.offloaded(call, payload, { kept, verdict, durationMs });
  } catch (error) {
    if (error instanceof StreamFault) throw error;
    return await door.recover(error, { call, payload, verdict, encoded });
  } finally {
    await steps.release(payload);
  }
}
