import { withDeadline } from "../../util/abort.js";
import type { Measurement } from "../types/content.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, Payload, SoFar } from "./call.js";
import type { PipelineContext } from "./context.js";
import { decide, decisionByCharacters, isShort } from "./decisions.js";
import { inlineResult } from "./inline.js";
import { openPayload } from "./payload.js";
import { recover, shorten } from "./shorten.js";
import { inTurn } from "./turn-decisions.js";

let underWay = 0;

/**
 * content -> measure -> decide -> store -> describe
 *
 * @throws {@link StreamFault} with the error of the tool's own stream; any error for what code stores.
 */
export async function runPipeline(context: PipelineContext, call: Call): Promise<OffloadResult> {
  const { options, sessionKey } = call;
  if (isShort(call, context.options)) {
    context.stats.countOutput(sessionKey);
    return inlineResult(call.output, options);
  }
  const soFar: SoFar = {};
  underWay += 1;
  try {
    // content, measure and decide
    soFar.payload = await openPayload(context, call, underWay > 1);
    const payload = await selected(soFar.payload, call);
    soFar.payload = payload;
    const own = await decide(context, payload, call);
    const decision = call.source === "tool" ? await inTurn(context, own, payload, call) : own;
    soFar.decision = decision;
    if (decision.action === "pass-on") return inlineResult(payload.output, {});
    context.stats.countOutput(sessionKey);
    if (decision.action === "keep-inline") {
      tellKept(call, decision.measurement);
      return inlineResult(payload.output, options);
    }
    if (decision.action === "truncate") return await shorten(context, call, payload, decision);

    // store and describe, unless that saves nothing
    const startedAt = performance.now();
    const encoded = await payload.encode();
    const [{ storeOutput }] = await Promise.all([
      import("./store-and-describe.js"),
      // Needed where storing fails: then it may be too late to load it.
      import("../describe/truncate.js"),
    ]);
    const stored = await storeOutput(context, call, encoded, decision, startedAt);
    if (stored === undefined) return inlineResult(payload.output, options);
    return { ...stored, keptBlocks: payload.keptBlocks };
  } catch (error) {
    return await recover(context, error, call, soFar);
  } finally {
    underWay -= 1;
    await soFar.payload?.close();
  }
}

const SELECT_MS = 60_000;

/** The whole result set behind an answer of a tool. */
async function selected(payload: Payload, { source, isLimited, options }: Call): Promise<Payload> {
  const { selectResultSet } = options;
  const isAnswer = source === "tool" && isLimited;
  if (!isAnswer || selectResultSet === undefined || !payload.substitute) return payload;
  const late = `selectResultSet returned nothing within ${SELECT_MS} ms.`;
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
