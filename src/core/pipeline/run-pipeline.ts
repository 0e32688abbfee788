import { withDeadline } from "../../util/abort.js";
import { CHARACTERS_PER_TOKEN } from "../measure/characters.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { Measurement } from "../types/content.js";
import type { CharactersDecision, OffloadEvent } from "../types/events.js";
import type { OffloadedOutput, OffloadResult } from "../types/result.js";
import type { Call, Decision, EncodedOutput, Payload, StoreDecision } from "./call.js";
import type { PipelineContext } from "./context.js";
import { always, isShort, within } from "./decisions.js";
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
  let payload: Payload | undefined;
  let decision: Decision | undefined;
  let encoded: EncodedOutput | undefined;
  underWay += 1;
  try {
    // content, measure and decide
    payload = await openPayload(context, call, underWay > 1);
    payload = await selected(payload, call);
    const own = await (call.isLimited ? within : always)(context, payload, call);
    decision = call.source === "tool" ? await inTurn(context, own, payload, call) : own;
    if (decision.action === "pass-on") return inlineResult(payload.output, {});
    context.stats.countOutput(sessionKey);
    if (decision.action === "keep-inline") {
      tellKept(call, decision.measurement);
      return inlineResult(payload.output, options);
    }
    if (decision.action === "shorten") return await shorten(context, call, payload, decision);

    // store and describe, unless that saves nothing
    const startedAt = performance.now();
    encoded = await payload.encode();
    const { keptBlocks } = payload;
    const stored = await storeOutput(context, call, encoded, decision, { keptBlocks, startedAt });
    return stored ?? inlineResult(payload.output, options);
  } catch (error) {
    return await recover(context, error, call, { payload, decision, encoded });
  } finally {
    underWay -= 1;
    await payload?.close();
  }
}

/** The last two steps; `undefined` if they save nothing. Many agents never need them. */
export async function storeOutput(
  context: PipelineContext,
  call: Call,
  encoded: EncodedOutput,
  decision: Omit<StoreDecision, "action">,
  {
    startedAt = performance.now(),
    keptBlocks = [],
  }: Partial<Pick<Payload, "keptBlocks">> & { readonly startedAt?: number } = {},
): Promise<OffloadedOutput | undefined> {
  const [{ storeAndDescribe }] = await Promise.all([
    import("./store-and-describe.js"),
    // Needed where storing fails: then it may be too late to load it.
    import("../describe/truncate.js"),
  ]);
  const kept = await storeAndDescribe(context, call, encoded, decision);
  if (kept === undefined) return undefined;
  const { storedArtifact, descriptor } = kept;
  const durationMs = performance.now() - startedAt;
  await context.lifetime.stored(storedArtifact, call.output.turn);
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
