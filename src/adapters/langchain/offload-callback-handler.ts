import * as z from "zod";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { ToolMessage } from "@langchain/core/messages";

import { emit } from "../../core/types/events.js";
import { createMeasure, type MeasureOptions } from "../../core/measure/measure.js";
import { callback, checkedOptions, optionsOf, size } from "../../util/option-rules.js";
import type { TokenCount } from "../../core/types/content.js";
import { keepLatest } from "../../util/keep-latest.js";
import { unwrapOutput } from "../../core/content/unwrap.js";
import { carried, isStoredArtifact } from "./run/carried.js";

/** What became of a tool's output, or would. */
export interface ObservedOutput {
  readonly toolName: string;
  readonly toolCallId: string | undefined;
  /** The tool's run, as traces name it. */
  readonly runId: string;
  /** Tokens of the output as the tool gave it; of what was stored when it is a descriptor by now. */
  readonly tokens: number;
  /** Whether `tokens` was counted in full or estimated from samples. */
  readonly tokensExact: boolean;
  /** UTF-16 units of what the callback was given. */
  readonly characters: number;
  /**
   * `inline`: not over the threshold. `over-threshold`: an adapter with this threshold offloads it; without a stated
   * one, outputs without records stay up to 6,400 tokens.
   * `offloaded`: the tool itself gave a descriptor, as one wrapped by `withOffload` can.
   */
  readonly verdict: "inline" | "over-threshold" | "offloaded";
}

/** A tracer whose runs can be looked up while they last, such as `LangChainTracer`. */
interface RunLookup {
  getRun(runId: string): TracedRun | undefined;
}

/** The part of a traced run that is written to. */
export interface TracedRun {
  extra?: { metadata?: Record<string, unknown> | undefined } | undefined;
  tags?: string[] | undefined;
}

/** Options of {@link offloadCallbackHandler}. */
export interface OffloadCallbackHandlerOptions extends MeasureOptions {
  /** Larger outputs are over the threshold. @defaultValue `{ tokens: 1600 }` */
  readonly threshold?: { readonly tokens: number };
  /** Hears of every tool output with text; what it throws is ignored. */
  readonly onOutput?: (output: ObservedOutput) => void;
  /**
   * Gets metadata and a tag for the run of each tool: `langchain_offload.characters`,
   * `langchain_offload.estimated_tokens` (characters / 4, because a run is sent before its tokens are
   * counted) and the tag `langchain_offload:over-threshold` or `langchain_offload:offloaded`. List
   * the tracer after this handler in `callbacks`.
   */
  readonly tracer?: RunLookup;
}

const schema = optionsOf({
  tokenizer: z.unknown().optional(),
  threshold: optionsOf({ tokens: size }).optional(),
  onOutput: callback.optional(),
  tracer: z.unknown().optional(),
});

/** Runs that began and did not end are forgotten beyond this many, the oldest first. */
const MAX_OPEN_RUNS = 1000;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Makes a callback handler that counts the tokens of tool outputs and says what offloading does with
 * them, or would do. It only observes: LangChain ignores what a callback returns, so no callback can
 * replace an output. It fails no run, and waits for nothing but its own count.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadCallbackHandler(
  options: OffloadCallbackHandlerOptions = {},
): BaseCallbackHandler {
  const checked = checkedOptions<OffloadCallbackHandlerOptions>(
    "offloadCallbackHandler",
    schema,
    options,
  );
  const { onOutput, tracer } = checked;
  const limitTokens = checked.threshold?.tokens ?? 1600;
  const measure = createMeasure({ tokenizer: checked.tokenizer });
  const openRuns = new Map<string, { toolName: string; toolCallId: string | undefined }>();

  function annotate(runId: string, text: string, offloaded: TokenCount | undefined): void {
    const run = tracer?.getRun(runId);
    if (run === undefined) return;
    const estimatedTokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    const verdict = verdictOf(offloaded, estimatedTokens > limitTokens);
    run.extra ??= {};
    run.extra.metadata = {
      ...run.extra.metadata,
      "langchain_offload.characters": text.length,
      "langchain_offload.estimated_tokens": offloaded?.tokens ?? estimatedTokens,
    };
    if (verdict !== "inline") run.tags = [...(run.tags ?? []), `langchain_offload:${verdict}`];
  }

  async function report(runId: string, output: unknown): Promise<void> {
    const opened = openRuns.get(runId);
    openRuns.delete(runId);
    const message = ToolMessage.isInstance(output) ? output : undefined;
    const value = message === undefined ? output : message.content;
    const artifact: unknown = message?.artifact;
    const { text } = unwrapOutput({ value, artifact });
    if (text === undefined) return;
    const [stored] = carried(artifact);
    const isDescriptor = isStoredArtifact(stored) && typeof stored.tokens === "number";
    const offloaded = isDescriptor
      ? { tokens: stored.tokens, exact: stored.tokensExact }
      : undefined;
    // Before the first wait: the tracer, which is next, sends the run away.
    annotate(runId, text, offloaded);
    if (onOutput === undefined) return;
    const { overLimit } = await measure.measure(text, limitTokens);
    const { tokens, exact } = offloaded ?? (await measure.count(text));
    emit(onOutput, {
      toolName: message?.name ?? opened?.toolName ?? "",
      toolCallId: message?.tool_call_id ?? opened?.toolCallId,
      runId,
      tokens,
      tokensExact: exact,
      characters: text.length,
      verdict: verdictOf(offloaded, overLimit),
    });
  }

  const handler = BaseCallbackHandler.fromMethods({
    handleToolStart(
      tool: Serialized,
      _input: string,
      runId: string,
      _parentRunId?: string,
      _tags?: string[],
      _metadata?: Record<string, unknown>,
      runName?: string,
      toolCallId?: string,
    ) {
      const run = { toolName: runName ?? tool.name ?? "", toolCallId };
      keepLatest(openRuns, runId, run, MAX_OPEN_RUNS);
    },
    handleToolError(_error: unknown, runId: string) {
      openRuns.delete(runId);
    },
    async handleToolEnd(output: unknown, runId: string) {
      try {
        await report(runId, output);
      } catch {
        // A fault in somebody's logging must not cost a tool call.
      }
    },
  });
  handler.name = "offload_callback_handler";
  handler.awaitHandlers = true;
  return handler;
}

function verdictOf(
  offloaded: TokenCount | undefined,
  isOverThreshold: boolean,
): ObservedOutput["verdict"] {
  if (offloaded !== undefined) return "offloaded";
  return isOverThreshold ? "over-threshold" : "inline";
}
