import { type InlineLimits, limitInTokens } from "./decide/gate.js";
import { headAndTail } from "./describe/head-and-tail.js";
import { truncateOutput } from "./describe/truncate.js";
import type { OffloadListener } from "./events.js";
import type { TokenMeasure } from "./measure/measure.js";
import { scopeOf } from "./store/naming.js";
import type { Content, Measurement, OffloadResult, ToolOutput } from "./types.js";

/** What cutting works with. */
interface TruncationOptions {
  readonly measure: TokenMeasure;
  readonly count: (text: string) => Promise<number>;
  readonly storeName: string;
}

/** An output to be cut. */
interface CutInput {
  readonly output: ToolOutput;
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

/** The ways in which an output comes back shorter, and the events of each. */
export interface Truncation {
  /** Head and tail of an output that is to be cut and not stored. */
  cutByChoice(input: CutInput): Promise<OffloadResult>;
  /** Whole records, or the head of a text, with a warning, of an output that could not be stored. */
  cutAfterFailure(
    input: CutInput,
    content: Content | undefined,
    error: unknown,
  ): Promise<OffloadResult>;
  reportFailure(
    place: Pick<CutInput, "output" | "notify">,
    error: unknown,
    fallback: "inline" | "truncated",
  ): void;
}

/** The last rungs of the ladder: the tool call goes on with part of its output. */
export function createTruncation({ measure, count, storeName }: TruncationOptions): Truncation {
  function reportFailure(
    { output, notify }: Pick<CutInput, "output" | "notify">,
    error: unknown,
    fallback: "inline" | "truncated",
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

  return {
    reportFailure,
    async cutByChoice(input) {
      const { tokens, bytes } = input.limits;
      const limit = bytes ? { bytes: bytes.limitBytes } : { tokens: tokens?.limitTokens ?? 0 };
      const { missing } = input;
      let { text } = await headAndTail({ text: input.text, limit, count, missing });
      if (tokens && bytes && (await count(text)) > tokens.limitTokens) {
        ({ text } = await headAndTail({ text, limit: { tokens: tokens.limitTokens }, count }));
      }
      reportCut(input, await count(text));
      return { outcome: "truncated", text, keptBlocks: input.keptBlocks, error: undefined };
    },
    async cutAfterFailure(input, content, error) {
      reportFailure(input, error, "truncated");
      const { text, returnedTokens } = await truncateOutput({
        content,
        text: input.text,
        totalBytes: input.missing && input.missing.bytes + Buffer.byteLength(input.text),
        totalTokens: input.measurement.tokens,
        limitTokens: limitInTokens(input.limits),
        fit: (part, limitTokens) => measure.fit(part, limitTokens),
        count,
      });
      reportCut(input, returnedTokens);
      return { outcome: "truncated", text, keptBlocks: input.keptBlocks, error };
    },
  };
}

function reportCut(cut: CutInput, returnedTokens: number): void {
  const { output, measurement, notify, reason } = cut;
  notify({
    type: "truncated",
    reason,
    toolName: output.toolName,
    toolCallId: output.toolCallId,
    scope: scopeOf(output.sessionId),
    totalTokens: measurement.tokens,
    returnedTokens,
  });
}
