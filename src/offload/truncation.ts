import type { InlineLimits } from "../decide/gate.js";
import { roomInWindow } from "../decide/window-room.js";
import { headAndTail, usualNotice } from "../describe/head-and-tail.js";
import { partNotice } from "../describe/part-notice.js";
import { truncateOutput } from "../describe/truncate.js";
import type { OffloadListener } from "../events.js";
import { inlineResult } from "./inline-result.js";
import type { SizeLimit } from "../measure/size-limit.js";
import type { ResolvedToolOptions } from "../options/options.js";
import { scopeOf } from "../store/naming.js";
import type { Content, Measurement, OffloadResult, ToolOutput } from "../types.js";

/** What cutting works with. */
interface TruncationOptions {
  readonly count: (text: string) => Promise<number>;
  readonly storeName: string;
}

/** An output to be cut. */
interface CutInput {
  readonly output: ToolOutput;
  readonly options: ResolvedToolOptions;
  readonly text: string;
  /** Of a stream, what `text` lacks: it is the beginning and, after `bytes` more, `tailCharacters`. */
  readonly missing?: { readonly bytes: number; readonly tailCharacters: number } | undefined;
  readonly keptBlocks: readonly unknown[];
  readonly measurement: Measurement;
  readonly limits: InlineLimits;
  /** Which rule made it leave. */
  readonly reason: string;
  readonly notify: OffloadListener;
}

/** The call that something went wrong with, and who is to hear of it. */
interface FailedPlace {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly notify: OffloadListener;
}

/**
 * The ways in which an output comes back shorter, and the events of each. One that is no larger than what would
 * be left of it comes back whole.
 */
export interface Truncation {
  /** Head and tail of an output that is to be cut and not stored, and between them what leads to its next page. */
  cutByChoice(input: CutInput, content: Content): Promise<OffloadResult>;
  /** Whole records, or head and tail of a text, with a warning, of an output that could not be stored. */
  cutAfterFailure(
    input: CutInput,
    content: Content | undefined,
    error: unknown,
  ): Promise<OffloadResult>;
  reportFailure(
    place: FailedPlace,
    error: unknown,
    fallback: "inline" | "truncated" | "rejected",
  ): void;
}

/** The last rungs of the ladder: the tool call goes on with part of its output. */
export function createTruncation({ count, storeName }: TruncationOptions): Truncation {
  function reportFailure(
    { output, notify }: FailedPlace,
    error: unknown,
    fallback: "inline" | "truncated" | "rejected",
  ): void {
    const { toolName, toolCallId } = output;
    const specName = "OffloadWriteFailed";
    notify({
      type: "write-failed",
      specName,
      toolName,
      toolCallId,
      store: storeName,
      fallback,
      error,
    });
  }

  async function cutTo(input: CutInput, text: string, error: unknown): Promise<OffloadResult> {
    const { output, measurement, notify, reason, keptBlocks } = input;
    notify({
      type: "truncated",
      reason,
      toolName: output.toolName,
      toolCallId: output.toolCallId,
      scope: scopeOf(output.sessionId),
      totalTokens: measurement.tokens,
      returnedTokens: await count(text),
    });
    return { outcome: "truncated", text, keptBlocks, error };
  }

  return {
    reportFailure,
    async cutByChoice(input, content) {
      const { text: whole, missing } = input;
      const limit = sizeLimit(input);
      const { toolName } = input.output;
      const part = await partNotice(content, { toolName, limit, count });
      const { text, droppedBytes } = await headAndTail({
        text: whole,
        limit,
        count,
        missing,
        notice: (dropped) => `${usualNotice(dropped)}${part === "" ? "" : `[${part}]\n`}`,
      });
      if (droppedBytes === 0) return inlineResult(input.output, input.options);
      return await cutTo(input, text, undefined);
    },
    async cutAfterFailure(input, content, error) {
      const { text, isWhole } = await truncateOutput({
        content,
        toolName: input.output.toolName,
        text: input.text,
        missing: input.missing,
        totalTokens: input.measurement.tokens,
        limit: sizeLimit(input),
        count,
      });
      reportFailure(input, error, isWhole ? "inline" : "truncated");
      return isWhole ? inlineResult(input.output, input.options) : await cutTo(input, text, error);
    },
  };
}

/** What an output is cut to; where no gate has a limit, what fits into the context window. */
function sizeLimit({ limits, output, options }: CutInput): SizeLimit {
  const { tokens, bytes } =
    limits.tokens === undefined && limits.bytes === undefined
      ? roomInWindow(output.conversation, options.contextWindowTokens)
      : limits;
  return { tokens: tokens?.limitTokens, bytes: bytes?.limitBytes };
}
