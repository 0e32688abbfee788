import { ensureConfig } from "@langchain/core/runnables";

import { OffloadError } from "../../core/types/errors.js";
import { checkedOverrides } from "../../core/options/resolve.js";
import { textOf } from "../../core/content/content-blocks.js";
import { shownParts } from "../../core/pipeline/inline.js";
import type { PutOptions } from "../../core/pipeline/put-options.js";
import { callOf } from "./run/tool-run.js";
import { noteStored } from "./tool/tool-message.js";

/** Stores a value of any size and returns the text that replaces it. */
export type OffloadValue = (
  value: unknown,
  options?: Pick<PutOptions, "title" | "form">,
) => Promise<string>;

/**
 * Lets a tool use the `offload` of the agent, node or wrapper that it runs under. The value is stored in the
 * conversation of the call, whatever its size. The tool returns the resulting text or includes it in its output. A
 * value that cannot be stored comes back whole, as text, and is cut with the tool's output. It is cut by itself if
 * nothing limits that output, or if it is a stream of more than 4 MiB. The function rejects only with what a stream
 * throws, and with code `INVALID_ARGUMENTS` for a value without text or with images and files beside it.
 * @param config - What LangChain passes to the tool beside its arguments.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the call runs under no offloader.
 */
export function offloadFrom(config: unknown): OffloadValue {
  const call = callOf(config) ?? callOf(ensureConfig());
  if (call === undefined) throw new OffloadError("INVALID_ARGUMENTS", NO_OFFLOADER);
  return async (value, { title, form } = {}) => {
    const overrides = { ...checkedOverrides(call.output.overrides), ...(form && { form }) };
    const about = { title, overrides, slot: undefined, always: true } as const;
    const result = await call.offloader.offload({ ...call.output, ...about, value }, call.onEvent);
    const { text: own, keptBlocks = [] } = shownParts(result);
    const beside = keptBlocks.map(textOf);
    if (!beside.every(Boolean)) throw new OffloadError("INVALID_ARGUMENTS", TEXT_ONLY);
    if (own === undefined) throw new OffloadError("INVALID_ARGUMENTS", NO_TEXT);
    const text = [...beside, own].join("\n");
    if (result.outcome === "offloaded") noteStored(call.stored, result.storedArtifact);
    if (result.outcome !== "inline") call.offloaded.add(text);
    return text;
  };
}

const NO_OFFLOADER =
  "This call runs without an offloader, so there is nowhere to store a value. Pass on the config that the tool is given, as in offloadFrom(config), and run the tool under offloadMiddleware(), offloadToolNode() or withOffload().";

const TEXT_ONLY =
  "offload() takes text and data; return images and files beside its result, as content blocks.";

const NO_TEXT = "This value has no text to store.";
