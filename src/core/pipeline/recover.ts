import { StreamFault } from "../content/stream/held-stream.js";
import type { InlineLimits } from "../decide/gate.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail } from "../describe/head-and-tail.js";
import type { TruncatedOutput, TruncateInput } from "../describe/truncate.js";
import { OffloadError } from "../types/errors.js";
import type { Notify } from "../types/events.js";
import { tokenCounter, type TokenMeasure } from "../measure/measure.js";
import type { Content, Measurement } from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";
import type { Call, Payload, SoFar } from "./call.js";
import { inlineExcerpt, inlineResult } from "./inline.js";
import { sizeLimit, truncated } from "./steps.js";
import { TOO_LONG } from "./decisions.js";

const BEGINNING_CHARACTERS = 10_000;

export interface Recoveries {
  /** Part of the output, or all of it if it fits. Never rejects. */
  readonly ladder: (error: unknown, so: SoFar) => Promise<OffloadResult>;
  readonly stayInline: (error: unknown, so: SoFar) => Promise<OffloadResult>;
  /** @throws {@link OffloadError} always. */
  readonly reject: (error: unknown, so: SoFar) => Promise<never>;
  readonly passOn: (error: unknown, output: ToolOutput, notify: Notify) => OffloadResult;
}

async function cut(input: TruncateInput): Promise<Pick<TruncatedOutput, "text" | "isWhole">> {
  // Fails where no file descriptor is left, for instance.
  const loaded = await import("../describe/truncate.js").catch(() => undefined);
  if (loaded !== undefined) return await loaded.truncateOutput(input);
  const { text, droppedBytes } = await headAndTail(input);
  return { text, isWhole: droppedBytes === 0 };
}

export function createRecoveries({
  measure,
  storeName,
}: {
  readonly measure: TokenMeasure;
  readonly storeName: string;
}): Recoveries {
  const count = tokenCounter(measure);

  function report(
    { output, notify, sessionKey }: FailedPlace,
    error: unknown,
    fallback: "inline" | "truncated" | "rejected",
  ): void {
    const { toolName, toolCallId } = output;
    const told = { toolName, toolCallId, sessionKey, store: storeName, fallback, error };
    notify({ type: "write-failed", specName: "OffloadWriteFailed", ...told });
  }

  async function headWithWarning(
    call: Call,
    payload: Payload,
    { known, limits, error, ...over }: Failed,
  ): Promise<OffloadResult> {
    const { text: whole, missing, ...found } = await payload.excerpt();
    const { measurement = over.measurement, content = known } = found;
    const { text, isWhole } = await cut({
      content,
      toolName: call.output.toolName,
      text: whole,
      missing,
      totalTokens: measurement.tokens,
      limit: sizeLimit(call, limits),
      count,
    });
    report(call, error, isWhole ? "inline" : "truncated");
    if (isWhole) return inlineExcerpt(payload, text, call.options);
    return await truncated(call, payload, { ...over, text, measurement, count, error });
  }

  async function inWindow(
    { call, decision, encoded }: SoFar,
    given: Payload,
    error: unknown,
  ): Promise<OffloadResult> {
    const { options, output } = call;
    const limits = roomInWindow(output.conversation, options.contextWindowTokens);
    const payload = given.substitute?.(undefined) ?? given;
    const { text = "" } = payload;
    const measurement = await measure.measure(text, limits.tokens?.limitTokens ?? Infinity);
    if (payload.isWhole && !measurement.overLimit) {
      report(call, error, "inline");
      return inlineResult(payload.output, options);
    }
    const reason = decision?.action === "store" ? decision.reason : limits.tokens?.reason;
    const known = options.selectResultSet ? undefined : encoded?.content;
    const failed = { known, limits, error, measurement, reason: reason ?? TOO_LONG };
    return await headWithWarning(call, payload, failed);
  }

  function passOn(error: unknown, output: ToolOutput, notify: Notify): OffloadResult {
    const toolName = textOf(fieldOf(output, "toolName")) ?? "";
    const toolCallId = textOf(fieldOf(output, "toolCallId"));
    report({ output: { toolName, toolCallId }, notify }, error, "inline");
    return { outcome: "inline", value: fieldOf(output, "value") };
  }

  async function stayInline(error: unknown, so: SoFar): Promise<OffloadResult> {
    const { call, payload } = so;
    if (payload === undefined) return passOn(error, call.output, call.notify);
    if (!payload.isWhole) return await ladder(error, so);
    report(call, error, "inline");
    return inlineResult(payload.output, call.options);
  }

  async function ladder(error: unknown, so: SoFar): Promise<OffloadResult> {
    const { call, payload, decision, encoded } = so;
    if (payload === undefined) return passOn(error, call.output, call.notify);
    try {
      const isLost = decision?.action === "store";
      const isCut = call.options.onStoreFailure === "truncate" || !payload.isWhole;
      if (!isLost || !isCut) return await inWindow(so, payload, error);
      const { measurement, reason } = decision;
      const limits = await decision.limitsIfLost();
      const failed = { known: encoded?.content, limits, error, measurement, reason };
      return await headWithWarning(call, payload, failed);
    } catch (fault) {
      if (fault instanceof StreamFault) throw fault;
      return passOn(error, { ...call.output, value: whatIsLeft(payload) }, call.notify);
    }
  }

  return {
    ladder,
    stayInline,
    passOn,
    async reject(error, { call }) {
      report(call, error, "rejected");
      throw storeError(error);
    },
  };
}

interface FailedPlace {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly notify: Notify;
  readonly sessionKey?: string | undefined;
}

interface Failed {
  readonly known: Content | undefined;
  readonly limits: InlineLimits;
  readonly error: unknown;
  readonly measurement: Measurement;
  readonly reason: string;
}

function whatIsLeft({ output, isWhole }: Payload): unknown {
  if (isWhole) return output.value;
  const beginning = String(output.value).slice(0, BEGINNING_CHARACTERS);
  return `${beginning}\n[Only the beginning of this stream is here.]`;
}

function storeError(error: unknown): OffloadError {
  if (OffloadError.isInstance(error)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  return new OffloadError("STORE_WRITE_FAILED", `The value could not be stored: ${cause}`, {
    cause: error,
  });
}

function fieldOf(output: ToolOutput, name: keyof ToolOutput): unknown {
  try {
    return output[name];
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
