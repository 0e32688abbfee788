/** What the reader says: tool calls, or its answer. */
export type Step =
  | { readonly text: string }
  | {
      readonly toolCalls: readonly {
        readonly name: string;
        readonly args: Readonly<Record<string, unknown>>;
      }[];
    };

/** Says an answer in the form that is asked for. */
export function answerFrom(answer: unknown): Step {
  return { text: `ANSWER: ${JSON.stringify(answer ?? null)}` };
}
