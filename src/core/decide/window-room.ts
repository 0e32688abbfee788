import type { ConversationSize } from "../types/output.js";
import { DEFAULT_CONTEXT_WINDOW_TOKENS } from "./gates/context-share.js";
import { wholePart } from "./fraction.js";
import type { InlineLimits } from "./gate.js";

const FILLED_FRACTION = 0.9;

/** Nine tenths of the context window less the conversation, in tokens. An unknown window counts as 128,000 tokens. */
export function roomInWindow(
  conversation: ConversationSize | undefined,
  contextWindowTokens: number | undefined,
): InlineLimits {
  const windowTokens =
    contextWindowTokens ?? conversation?.contextWindowTokens ?? DEFAULT_CONTEXT_WINDOW_TOKENS;
  const limitTokens = wholePart(FILLED_FRACTION, windowTokens) - (conversation?.tokens ?? 0);
  const reason = `what is left of a context window of ${windowTokens} tokens`;
  return { tokens: { limitTokens: Math.max(0, limitTokens), reason }, bytes: undefined };
}
