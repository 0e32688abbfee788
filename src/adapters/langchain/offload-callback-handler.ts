import * as z from "zod";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";

import { emit } from "../../core/types/events.js";
import { createMeasure, type MeasureOptions } from "../../core/measure/measure.js";
import { callback, checkedOptions, optionalsOf, optionsOf, size } from "../../util/option-rules.js";
import { keepLatest } from "../../util/keep-latest.js";
import { unwrapOutput } from "../../core/content/unwrap.js";
import { carried, isStoredArtifact } from "./run/carried.js";
import { toolMessagesOf } from "./tool/messages.js";

/** What happened to a tool's output, or would happen. */
export interface ObservedOutput {
  readonly toolName: string;
  readonly toolCallId: string | undefined;
  /** The run id of the tool, as in traces. */
  readonly runId: string;
  /** Tokens of the output as the tool returned it. For a descriptor: tokens of the stored output. */
  readonly tokens: number;
  /** Whether `tokens` was counted in full or estimated from samples. */
  readonly tokensExact: boolean;
  /** UTF-16 units of the output that the callback received. */
  readonly characters: number;
  /**
   * `inline`: not over the threshold. `over-threshold`: an adapter with this threshold offloads it;
   * without a stated one, outputs without records stay up to 6,400 tokens. `offloaded`: the tool
   * itself returned a descriptor, as one wrapped by `withOffload` can.
   */
  readonly decision: "inline" | "over-threshold" | "offloaded";
}

/** Options of {@link offloadCallbackHandler}. */
export interface OffloadCallbackHandlerOptions extends MeasureOptions {
  /** Larger outputs are over the threshold. @defaultValue `{ tokens: 1600 }` */
  readonly threshold?: { readonly tokens: number };
  /** Called for every tool output with text. Errors it throws are ignored. */
  readonly onOutput?: (output: ObservedOutput) => void;
}

const schema = optionalsOf({
  tokenizer: z.unknown(),
  threshold: optionsOf({ tokens: size }),
  onOutput: callback,
});

const MAX_OPEN_RUNS = 1000;

/**
 * Creates a callback handler that counts the tokens of tool outputs and reports what offloading
 * does with them, or would do. It only observes, because LangChain ignores what a callback returns.
 * It never fails a run, and waits only for its own count.
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
  const { onOutput } = checked;
  const limitTokens = checked.threshold?.tokens ?? 1600;
  const measure = createMeasure(checked);
  const namesOfRuns = new Map<string, string>();

  const handler = BaseCallbackHandler.fromMethods({
    handleToolStart(tool, _input, runId, _parentRunId, _tags, _metadata, runName) {
      keepLatest(namesOfRuns, runId, runName ?? tool.name ?? "", MAX_OPEN_RUNS);
    },
    async handleToolEnd(output: unknown, runId: string) {
      for (const given of isCommand(output) ? toolMessagesOf(output) : [output]) {
        const message = ToolMessage.isInstance(given) ? given : undefined;
        const value = message === undefined ? given : message.content;
        const artifact: unknown = message?.artifact;
        const { text } = unwrapOutput({ value, artifact });
        if (text === undefined || onOutput === undefined) continue;
        const [stored] = carried(artifact);
        const isDescriptor = isStoredArtifact(stored) && typeof stored.tokens === "number";
        const { overLimit } = await measure.measure(text, limitTokens);
        const { tokens, exact } = isDescriptor
          ? { tokens: stored.tokens, exact: stored.tokensExact }
          : await measure.count(text);
        emit(onOutput, {
          toolName: message?.name ?? namesOfRuns.get(runId) ?? "",
          toolCallId: message?.tool_call_id,
          runId,
          tokens,
          tokensExact: exact,
          characters: text.length,
          decision: isDescriptor ? "offloaded" : overLimit ? "over-threshold" : "inline",
        });
      }
    },
  });
  handler.name = "offload_callback_handler";
  handler.awaitHandlers = true;
  return handler;
}
