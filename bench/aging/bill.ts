import { SYSTEM_TOKENS } from "./conversation.js";

/** A message of a prompt: what makes it the same one, and its tokens. */
export interface Part {
  readonly text: string;
  readonly tokens: number;
}

/** What the calls of a conversation come to. */
export interface Bill {
  /** Input in tokens at full price, with a cache: reads at 0.1, writes at 1.25. */
  readonly cost: number;
  readonly peakTokens: number;
  /** Calls whose prompt does not begin with the whole prompt before it. */
  readonly breaks: number;
  readonly calls: number;
}

const READ = 0.1;
const WRITE = 1.25;

/** Adds up prompts, one call after the other. */
export function createBill(): { add(prompt: readonly Part[]): void; bill(): Bill } {
  let before: readonly Part[] = [];
  let [cost, peakTokens, breaks, calls] = [0, 0, 0, 0];
  return {
    add(prompt) {
      const tokens = sum(prompt) + SYSTEM_TOKENS;
      let same = 0;
      while (same < before.length && before[same]?.text === prompt[same]?.text) same += 1;
      const cached = calls === 0 ? 0 : SYSTEM_TOKENS + sum(prompt.slice(0, same));
      cost += READ * cached + WRITE * (tokens - cached);
      peakTokens = Math.max(peakTokens, tokens);
      if (same < before.length) breaks += 1;
      calls += 1;
      before = prompt;
    },
    bill: () => ({ cost, peakTokens, breaks, calls }),
  };
}

export function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}
