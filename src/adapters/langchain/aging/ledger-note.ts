import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { ResolvedAgingOptions } from "../../../aging/aging-options.js";
import { triggerTokens } from "../../../aging/choose-stale.js";
import {
  LEDGER_FRACTION,
  LEDGER_RESULTS,
  type LedgerResult,
  ledgerText,
} from "../../../aging/ledger.js";
import { ledgerOf, markOf, withLedger } from "./messages/mark.js";
import { messageTokens } from "./messages/message-items.js";

/** What a ledger is made of, beside the messages. */
export interface LedgerSources {
  readonly rules: ResolvedAgingOptions;
  readonly count: (text: string) => Promise<number>;
  readonly readTool: string;
}

/**
 * The newest result with the ledger behind it, where one is due: the model has not been sent this message yet, so no cache knows
 * it. `undefined` where none is due, or the last message is no result.
 *
 * @param messages - The conversation with its marks.
 * @param usedTokens - Of all that the model is about to read.
 */
export async function notedResult(
  messages: readonly BaseMessage[],
  usedTokens: number,
  windowTokens: number | undefined,
  { rules, count, readTool }: LedgerSources,
): Promise<ToolMessage | undefined> {
  const newest = messages.at(-1);
  const trigger = triggerTokens(rules.trigger, windowTokens);
  if (!rules.ledger || newest === undefined || !ToolMessage.isInstance(newest)) return undefined;
  if (newest.id === undefined || newest.status === "error") return undefined;
  if (usedTokens < LEDGER_FRACTION * trigger || !isDue(messages)) return undefined;
  const about = { usedTokens, windowTokens, triggerTokens: trigger, readTool };
  const text = await ledgerText({ ...about, results: resultsOf(messages) }, count);
  return withLedger(newest, text);
}

function isDue(messages: readonly BaseMessage[]): boolean {
  let results = 0;
  for (const message of messages.toReversed()) {
    if (!ToolMessage.isInstance(message)) continue;
    if (ledgerOf(message) !== undefined) return results >= LEDGER_RESULTS;
    results += 1;
  }
  return true;
}

function resultsOf(messages: readonly BaseMessage[]): LedgerResult[] {
  const results: LedgerResult[] = [];
  let turnsAgo = 0;
  for (const message of messages.toReversed()) {
    if (AIMessage.isInstance(message)) turnsAgo += 1;
    if (!ToolMessage.isInstance(message)) continue;
    const { name: toolName = "tool" } = message;
    const savedTokens = markOf(message)?.savedTokens;
    results.push({ toolName, tokens: messageTokens(message), turnsAgo, savedTokens });
  }
  return results.toReversed();
}
