import { identifyContent } from "../content/identify.js";
import type { InlineLimits } from "../decide/gate.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail, usualNotice } from "../describe/head-and-tail.js";
import { partNotice } from "../describe/next-page.js";
import type { SizeLimit } from "../measure/size-limit.js";
import type { Measurement } from "../types/content.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, Payload, ShortenVerdict } from "./call.js";
import { inlineExcerpt } from "./inline.js";

type Count = (text: string) => Promise<number>;

/**
 * Head and tail of an output that is to be cut and not stored, and between them what leads to its next page. One that
 * is no larger than what would be left of it comes back whole.
 */
export async function shorten(
  call: Call,
  payload: Payload,
  verdict: ShortenVerdict,
  count: Count,
): Promise<OffloadResult> {
  const { output } = payload;
  const excerpt = await payload.excerpt();
  const { text: whole, missing, measurement = verdict.measurement } = excerpt;
  const { nextPage, toolName } = output;
  const content = excerpt.content ?? { ...(await identifyContent(whole)), nextPage };
  const limit = sizeLimit(call, verdict.limits);
  const part = await partNotice(content, { toolName, limit, count });
  const { text, droppedBytes } = await headAndTail({
    text: whole,
    limit,
    count,
    missing,
    notice: (dropped) => `${usualNotice(dropped)}${part === "" ? "" : `[${part}]\n`}`,
  });
  if (droppedBytes === 0) return inlineExcerpt(payload, text, call.options);
  return await truncated(call, payload, { text, measurement, count, reason: verdict.reason });
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
