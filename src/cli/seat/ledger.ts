/** What a model has read so far: it reads the whole conversation once more for each step. */
export interface Ledger {
  /** Tokens that the next step reads. */
  readonly contextTokens: () => number;
  /** Tokens of all steps that led to a call. */
  readonly inputTokens: () => number;
  readonly calls: () => number;
  /** Notes a step: the call that the model made, and the answer that the next step reads too. */
  add(callTokens: number, answerTokens: number): void;
}

/** @param startTokens - What stands in the context before the first step. */
export function createLedger(startTokens: number): Ledger {
  let context = startTokens;
  let input = 0;
  let calls = 0;
  return {
    contextTokens: () => context,
    inputTokens: () => input,
    calls: () => calls,
    add(callTokens, answerTokens) {
      calls += 1;
      input += context;
      context += callTokens + answerTokens;
    },
  };
}
