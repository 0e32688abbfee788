import { messageOf } from "../../util/error-message.js";
import { identifyContent } from "../content/identify.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail, usualNotice } from "../describe/head-and-tail.js";
import { partNotice } from "../describe/next-page.js";
// Not loaded on demand: where no file descriptor is left, nothing can be loaded.
import { type TruncatedOutput, type TruncateInput, truncateOutput } from "../describe/truncate.js";
import { OffloadError } from "../types/errors.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, LeaveDecision, Payload, SoFar } from "./call.js";
import type { PipelineContext } from "./context.js";
import { isAdmitted, limitsOf } from "./decisions.js";
import { inlineResult } from "./inline.js";
import { limitsInTurn } from "./turn-decisions.js";

const BEGINNING_CHARACTERS = 10_000;

/**
 * With the next-page cursor between head and tail. Returned whole if that is no longer.
 *
 * @param lost - Why the rest is lost.
 */
export async function shorten(
  context: PipelineContext,
  call: Call,
  payload: Payload,
  { reason, limits = {}, ...over }: Omit<LeaveDecision, "action">,
  lost?: { readonly error: unknown },
): Promise<OffloadResult> {
  const { count } = context;
  const { output, sessionKey, notify, options } = call;
  const { toolName, toolCallId } = output;
  const excerpt = await payload.excerpt();
  const { measurement = over.measurement, ...whole } = excerpt;
  const isLimited = limits.tokens !== undefined || limits.bytes !== undefined;
  const limit = isLimited ? limits : roomInWindow(output.conversation, options.contextWindowTokens);
  const totalTokens = measurement.tokens;
  const content = whole.content ?? (await identifyContent(whole.text));
  const given = { ...whole, content, limit, count, toolName, totalTokens };
  const { text, isWhole } = await (lost ? truncateOutput : shortened)(given);
  if (lost) report(context, call, lost.error, isWhole ? "inline" : "truncated");
  if (isWhole) {
    const { output: came } = payload;
    return inlineResult(payload.isWhole ? came : { ...came, value: text }, options);
  }
  const sizes = { totalTokens, returnedTokens: await count(text) };
  notify({ type: "truncated", reason, toolName, toolCallId, sessionKey, ...sizes });
  return { outcome: "truncated", text, keptBlocks: payload.keptBlocks, error: lost?.error };
}

/**
 * Part of the output, or all of it if it fits.
 *
 * @throws The error for what code stores, or without a payload; {@link StreamFault}.
 */
export async function recover(
  context: PipelineContext,
  error: unknown,
  call: Call,
  { payload: given, decision }: SoFar,
): Promise<OffloadResult> {
  const { source, output, options } = call;
  const isOfCode = source === "put" || source === "derived";
  if (error instanceof StreamFault || isOfCode || given === undefined) throw error;
  try {
    // Its tool's own result is cut, so that no note is cut with it.
    const isPart =
      !call.isLimited && given.isWhole && isAdmitted({ ...call, isLimited: true }, context.options);
    if (source === "user" || isPart) {
      report(context, call, error, "inline");
      const { text, keptBlocks } = given;
      return { outcome: "inline", value: given.output.value, text, keptBlocks };
    }
    const isStored = decision?.action === "store";
    if (isStored && options.onStoreFailure === "truncate") {
      const own =
        decision.limits ?? (await limitsOf(call, given.text ?? "", options.gates, context.measure));
      const over = { ...decision, limits: await limitsInTurn(context, call, own) };
      return await shorten(context, call, given, over, { error });
    }
    const payload = given.substitute?.(undefined) ?? given;
    const limits = roomInWindow(output.conversation, options.contextWindowTokens);
    const measurement = await context.measure.measure(payload.text ?? "", limits.tokens);
    if (payload.isWhole && !measurement.overLimit) {
      report(context, call, error, "inline");
      return inlineResult(payload.output, options);
    }
    const reason = isStored ? decision.reason : limits.tokensReason;
    return await shorten(context, call, payload, { limits, measurement, reason }, { error });
  } catch (fault) {
    if (fault instanceof StreamFault) throw fault;
    report(context, call, error, "inline");
    const { value } = given.output;
    if (given.isWhole) return { outcome: "inline", value };
    const beginning = String(value).slice(0, BEGINNING_CHARACTERS);
    const told = `${beginning}\n[Only the beginning of this stream is here.]`;
    return { outcome: "inline", value: told };
  }
}

interface FailedPlace extends Pick<Call, "notify"> {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly sessionKey?: string;
}

export function report(
  { options: { store } }: PipelineContext,
  { output: { toolName, toolCallId }, notify, sessionKey }: FailedPlace,
  error: unknown,
  fallback: "inline" | "truncated" | "rejected",
): void {
  const told = { toolName, toolCallId, sessionKey, store: store.name, fallback, error };
  notify({ type: "write-failed", specName: "OffloadWriteFailed", ...told });
}

async function shortened(input: TruncateInput): Promise<TruncatedOutput> {
  const part = await partNotice(input.content, input);
  const { text, droppedBytes } = await headAndTail({
    ...input,
    notice: (dropped) => `${usualNotice(dropped)}${part === "" ? "" : `[${part}]\n`}`,
  });
  return { text, isWhole: droppedBytes === 0 };
}

export function storeError(error: unknown): OffloadError {
  if (OffloadError.isInstance(error)) return error;
  const message = `The value could not be stored: ${messageOf(error)}`;
  return new OffloadError("STORE_WRITE_FAILED", message, { cause: error });
}
