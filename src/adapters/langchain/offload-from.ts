import { ensureConfig } from "@langchain/core/runnables";

import { unwrapOutput } from "../../core/content/unwrap.js";
import { OffloadError } from "../../core/types/errors.js";
import type { PutOptions } from "../../core/pipeline/put-options.js";
import type { ToolOutput } from "../../core/types/output.js";
import { callOf } from "./run/tool-run.js";
import { noteStored } from "./tool/tool-message.js";

/** Stores a value of any size and returns the text that replaces it. */
export type OffloadValue = (
  value: unknown,
  options?: Pick<PutOptions, "title" | "form">,
) => Promise<string>;

/**
 * Lets a tool use the `offload` of the agent, node or wrapper that it runs under. The value is stored in the
 * conversation of the call, whatever its size. The tool returns the resulting text or includes it in its output. If a
 * value cannot be stored, its text is that value, cut to the threshold. The function rejects only with what a stream
 * throws, and with code `INVALID_ARGUMENTS` for a value without text or with images and files beside it.
 * @param config - What LangChain passes to the tool beside its arguments.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the call runs under no offloader.
 */
export function offloadFrom(config: unknown): OffloadValue {
  const call = callOf(config) ?? callOf(ensureConfig());
  if (call === undefined) throw new OffloadError("INVALID_ARGUMENTS", NO_OFFLOADER);
  return async (value, { title, form } = {}) => {
    const { offloader, onEvent } = call;
    const { toolName, toolCallId, args, sessionId, turn, signal } = call.output;
    const overrides = form === undefined ? undefined : { form };
    const given = { toolName, toolCallId, args, sessionId, turn, signal, overrides };
    const output: ToolOutput = { ...given, value, title, always: true };
    const result = await offloader.offload(output, onEvent);
    if (result.outcome === "inline") return result.text ?? textOf(result.value);
    if (result.keptBlocks.length > 0) throw new OffloadError("INVALID_ARGUMENTS", TEXT_ONLY);
    if (result.outcome === "offloaded") noteStored(call.stored, result.storedArtifact);
    call.offloaded.add(result.text);
    return result.text;
  };
}

const NO_OFFLOADER =
  "This call runs without an offloader, so there is nowhere to store a value. Pass on the config that the tool is given, as in offloadFrom(config), and run the tool under offloadMiddleware(), offloadToolNode() or withOffload().";

const TEXT_ONLY =
  "offload() takes text and data; return images and files beside its result, as content blocks.";

function textOf(value: unknown): string {
  const { text, keptBlocks } = unwrapOutput({ value });
  if (keptBlocks.length > 0) throw new OffloadError("INVALID_ARGUMENTS", TEXT_ONLY);
  if (text !== undefined) return text;
  throw new OffloadError("INVALID_ARGUMENTS", "This value has no text to store.");
}
