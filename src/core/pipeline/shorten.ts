import { identifyContent } from "../content/identify.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail, usualNotice } from "../describe/head-and-tail.js";
import { partNotice } from "../describe/next-page.js";
import type { TruncatedOutput, TruncateInput } from "../describe/truncate.js";
import { type TokenMeasure, tokenCounter } from "../measure/measure.js";
import { OffloadError } from "../types/errors.js";
import type { Notify } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, Decision, EncodedOutput, Payload, ShortenDecision } from "./call.js";
import { TOO_LONG } from "./decisions.js";
import { inlineExcerpt, inlineResult } from "./inline.js";

const BEGINNING_CHARACTERS = 10_000;

type Over = Omit<ShortenDecision, "action">;

/** How far a call came. */
interface SoFar {
  readonly payload?: Payload | undefined;
  readonly decision?: Decision | undefined;
  readonly encoded?: EncodedOutput | undefined;
}

export interface Shortening {
  /** With the next-page cursor between head and tail. Returned whole if that is no longer. */
  readonly shorten: (call: Call, payload: Payload, decision: Over) => Promise<OffloadResult>;
  /**
   * Part of the output, or all of it if it fits.
   *
   * @throws {@link OffloadError} for what code stores; {@link StreamFault}.
   */
  readonly recover: (error: unknown, call: Call, so: SoFar) => Promise<OffloadResult>;
  readonly passOn: (error: unknown, output: ToolOutput, notify: Notify) => OffloadResult;
}

export function createShortening(measure: TokenMeasure, storeName: string): Shortening {
  const count = tokenCounter(measure);

  async function cut(
    call: Call,
    payload: Payload,
    over: Over,
    lost?: { readonly error: unknown; readonly known: TruncateInput["content"] },
  ): Promise<OffloadResult> {
    const { output, sessionKey, notify, options } = call;
    const { toolName, toolCallId } = output;
    const {
      text: whole,
      missing,
      measurement = over.measurement,
      content,
    } = await payload.excerpt();
    const isLimited = over.limits.tokens !== undefined || over.limits.bytes !== undefined;
    const limit = isLimited
      ? over.limits
      : roomInWindow(output.conversation, options.contextWindowTokens);
    const totalTokens = measurement.tokens;
    const given = { text: whole, missing, limit, count, toolName, totalTokens };
    const { text, isWhole } = lost
      ? await truncated({ ...given, content: content ?? lost.known })
      : await shortened({
          ...given,
          content: content ?? {
            ...(await identifyContent(whole)),
            nextPage: payload.output.nextPage,
          },
        });
    if (lost) report(call, lost.error, isWhole ? "inline" : "truncated");
    if (isWhole) return inlineExcerpt(payload, text, options);
    const { reason } = over;
    const returnedTokens = await count(text);
    notify({
      type: "truncated",
      reason,
      toolName,
      toolCallId,
      sessionKey,
      totalTokens,
      returnedTokens,
    });
    return { outcome: "truncated", text, keptBlocks: payload.keptBlocks, error: lost?.error };
  }

  function report(
    { output, notify, sessionKey }: FailedPlace,
    error: unknown,
    fallback: "inline" | "truncated" | "rejected",
  ): void {
    const { toolName, toolCallId } = output;
    const told = { toolName, toolCallId, sessionKey, store: storeName, fallback, error };
    notify({ type: "write-failed", specName: "OffloadWriteFailed", ...told });
  }

  async function inWindow(
    error: unknown,
    call: Call,
    given: Payload,
    { decision, encoded }: SoFar,
  ): Promise<OffloadResult> {
    const { options, output } = call;
    const limits = roomInWindow(output.conversation, options.contextWindowTokens);
    const payload = given.substitute?.(undefined) ?? given;
    const measurement = await measure.measure(payload.text ?? "", limits.tokens ?? Infinity);
    if (payload.isWhole && !measurement.overLimit) {
      report(call, error, "inline");
      return inlineResult(payload.output, options);
    }
    const reason = decision?.action === "store" ? decision.reason : limits.tokensReason;
    const known = options.selectResultSet ? undefined : encoded?.content;
    const over = { limits, measurement, reason: reason ?? TOO_LONG };
    return await cut(call, payload, over, { error, known });
  }

  function passOn(error: unknown, output: ToolOutput, notify: Notify): OffloadResult {
    const toolName = textOf(readable(output, "toolName")) ?? "";
    const toolCallId = textOf(readable(output, "toolCallId"));
    report({ output: { toolName, toolCallId }, notify }, error, "inline");
    return { outcome: "inline", value: readable(output, "value") };
  }

  return {
    shorten: cut,
    passOn,
    async recover(error, call, so) {
      const { payload, decision, encoded } = so;
      const { source, output, notify, options } = call;
      if (source === "put" || source === "derived") {
        report(call, error, "rejected");
        throw storeError(error);
      }
      if (payload === undefined) return passOn(error, output, notify);
      if (source === "user") {
        report(call, error, "inline");
        return inlineResult(payload.output, options);
      }
      try {
        const isCut = options.onStoreFailure === "truncate" || !payload.isWhole;
        if (decision?.action !== "store" || !isCut) return await inWindow(error, call, payload, so);
        const over = { ...decision, limits: await decision.limitsIfLost() };
        return await cut(call, payload, over, { error, known: encoded?.content });
      } catch (fault) {
        if (fault instanceof StreamFault) throw fault;
        return passOn(error, { ...output, value: whatIsLeft(payload) }, notify);
      }
    },
  };
}

interface FailedPlace extends Pick<Call, "notify"> {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly sessionKey?: string;
}

type Cut = Pick<TruncatedOutput, "text" | "isWhole">;

async function shortened(input: TruncateInput & { readonly toolName: string }): Promise<Cut> {
  const part = await partNotice(input.content, input);
  const { text, droppedBytes } = await headAndTail({
    ...input,
    notice: (dropped) => `${usualNotice(dropped)}${part === "" ? "" : `[${part}]\n`}`,
  });
  return { text, isWhole: droppedBytes === 0 };
}

async function truncated(input: TruncateInput): Promise<Cut> {
  // Fails where no file descriptor is left, for instance.
  const loaded = await import("../describe/truncate.js").catch(() => undefined);
  if (loaded !== undefined) return await loaded.truncateOutput(input);
  const { text, droppedBytes } = await headAndTail(input);
  return { text, isWhole: droppedBytes === 0 };
}

function whatIsLeft({ output, isWhole }: Payload): unknown {
  if (isWhole) return output.value;
  const beginning = String(output.value).slice(0, BEGINNING_CHARACTERS);
  return `${beginning}\n[Only the beginning of this stream is here.]`;
}

function storeError(error: unknown): OffloadError {
  if (OffloadError.isInstance(error)) return error;
  const message = `The value could not be stored: ${error instanceof Error ? error.message : String(error)}`;
  return new OffloadError("STORE_WRITE_FAILED", message, { cause: error });
}

/** Untyped callers may pass anything, such as getters that throw. */
function readable(output: ToolOutput, name: keyof ToolOutput): unknown {
  try {
    return output[name];
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
