import type { AIMessage } from "@langchain/core/messages";

import { stubOf } from "../../../../aging/stub.js";
import type { MarkParts } from "../mark-batch.js";
import { tokensOfBytes } from "../messages/tokens-of-bytes.js";
import { type AgedArgument, withAgedArguments } from "./aged-arguments.js";
import type { LongArgument } from "./may-leave.js";

/**
 * The message with marks in place of these values, after they were stored.
 *
 * @throws what the store throws.
 */
export async function markArguments(
  message: AIMessage,
  long: readonly LongArgument[],
  sessionId: string,
  { keep, count, readCall, mode, lifeMs }: MarkParts,
): Promise<{ readonly message: AIMessage; readonly aged: readonly AgedArgument[] }> {
  const aged: AgedArgument[] = [];
  for (const { callId, toolName, parameter, value } of long) {
    const { storedArtifact, gist } = await keep({
      text: value,
      toolName,
      toolCallId: callId,
      sessionId,
      isOnlyCopy: mode === "replace",
      lifeMs,
    });
    const { id, scope, tokens } = storedArtifact;
    const about = { toolName, gist, tokens };
    const stub = await stubOf({ ...about, call: readCall(storedArtifact) }, count);
    const savedTokens = jsonTokens(value) - jsonTokens(stub);
    const replaced = mode === "replace" ? { replaced: true as const } : {};
    aged.push({ callId, parameter, stub, id, scope, savedTokens, ...replaced });
  }
  return { message: withAgedArguments(message, aged), aged };
}

/** What a value takes where it stands: in the JSON of a call. */
function jsonTokens(value: string): number {
  return tokensOfBytes(Buffer.byteLength(JSON.stringify(value)));
}
