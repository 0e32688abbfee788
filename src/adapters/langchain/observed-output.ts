import { ToolMessage } from "@langchain/core/messages";

import { unwrapOutput } from "../../core/content/unwrap.js";
import type { TokenCount } from "../../core/types/content.js";
import { carried } from "./run/carried.js";

/** What a tool run ended with, as far as it can be counted. */
export interface EndedOutput {
  /** `undefined` when there is no text in it. */
  readonly text: string | undefined;
  readonly toolName: string | undefined;
  readonly toolCallId: string | undefined;
  /** Size of the output that a descriptor stands for; `undefined` when it is no descriptor. */
  readonly offloaded: TokenCount | undefined;
}

/** Reads what a callback is given at the end of a tool: a tool message, or the bare value. Never throws. */
export function endedOutput(output: unknown): EndedOutput {
  if (!ToolMessage.isInstance(output)) {
    return {
      text: unwrapOutput({ value: output }).text,
      toolName: undefined,
      toolCallId: undefined,
      offloaded: undefined,
    };
  }
  const artifact: unknown = output.artifact;
  return {
    text: unwrapOutput({ value: output.content, artifact }).text,
    toolName: output.name,
    toolCallId: output.tool_call_id,
    offloaded: offloadedCount(carried(artifact)[0]),
  };
}

function offloadedCount(artifact: unknown): TokenCount | undefined {
  if (typeof artifact !== "object" || artifact === null) return undefined;
  if (!("sizeBytes" in artifact) || !("scope" in artifact) || !("tokens" in artifact)) {
    return undefined;
  }
  const { tokens } = artifact;
  if (typeof tokens !== "number") return undefined;
  return { tokens, exact: "tokensExact" in artifact && artifact.tokensExact === true };
}
