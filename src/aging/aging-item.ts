/** A message of a conversation, as aging sees it. */
export interface AgingItem {
  /** `answer`: of the model; `result`: of a tool; everything else is `other`. */
  readonly role: "answer" | "result" | "other";
  /** Tokens that the model reads of it, as it is shown now. */
  readonly tokens: number;
  /** Tokens that would be left of it, where it may leave. */
  readonly agedTokens?: number | undefined;
}
