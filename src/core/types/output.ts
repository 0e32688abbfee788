export interface ToolOutput {
  readonly toolName: string;
  /**
   * The returned value: a string, any JSON value, an array of LangChain content blocks, or a stream: an
   * async iterable of text, bytes or records, such as a Node or web `ReadableStream`.
   */
  readonly value: unknown;
  /** `value` is the text itself: what a protocol puts around a text is not looked for in it. A list has the blocks beside it. */
  readonly unwrapped?: true | readonly unknown[] | undefined;
  /** `redact` was given `value` and `nextPage` where they came from, and is not given them again. */
  readonly redacted?: true | undefined;
  /** LangChain's own `ToolMessage.artifact`, when the tool returned one. */
  readonly artifact?: unknown;
  /**
   * What the outputs of one turn of the model have in common: they do not make room for each other. Without
   * it, an output only spares itself.
   */
  readonly turn?: string | undefined;
  /**
   * How many outputs the turn has, this one among them. Alone, an output has its equal share of
   * `turnBudget`; those of `offloadAll` share the whole.
   *
   * @defaultValue `1`
   */
  readonly turnCalls?: number | undefined;
  /** Where it waits for the others of its turn. Adapters and `offloadAll` give one. */
  readonly slot?: BudgetSlot | undefined;
  /** Ends the reading of a stream. */
  readonly signal?: AbortSignal | undefined;
  readonly toolCallId?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The session that the output belongs to; drill-ins reach only artifacts of their own session.
   * Pass the LangGraph thread id here.
   */
  readonly sessionId: string;
  /** How full the model's context is, for gates that ask. */
  readonly conversation?: ConversationSize | undefined;
  /** What holds for this call only; values that are not allowed are passed over with a warning. */
  readonly overrides?: unknown;
  /** The tool's `metadata`, for `include` and `exclude`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** One line that says what the output is. The descriptor has it, at most 200 characters of it. */
  readonly title?: string | undefined;
  /** What stood beside the value and says that it is one page of more: its descriptor says so too. */
  readonly nextPage?: LiveCursor | undefined;
  /**
   * What a plug-in or the caller notes on the output: the stored artifact has it, and the model does not see it. Texts only, at
   * most 1,024 characters as JSON; anything else is left out.
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Ids of the stored outputs that it was made from; the first 32 are kept. */
  readonly derivedFrom?: readonly string[] | undefined;
  /** Stored whatever its size, and whatever `enabled`, `include`, `exclude` and limits say. */
  readonly always?: true | undefined;
}

/** An output that is larger than its equal share of its turn's budget. */
export interface TurnOutput {
  readonly tokens: number;
  readonly budgetTokens: number;
  /** Whether it is shortened when it may not stay whole; all of another one leaves. */
  readonly isCut: boolean;
}

/** The place of a tool call among those of its turn. */
export interface BudgetSlot {
  /** Notes an output that stays whatever the others are; it is counted when one of them asks. */
  stays(count: () => Promise<number>): void;
  /**
   * Waits until every call of the turn is over or waits too. Gives the most tokens that this output may
   * have, or `undefined` when it has to do with its equal share. Never rejects.
   */
  settle(output: TurnOutput): Promise<number | undefined>;
  /**
   * Ends the call. What it has not used of its share is the others' when it `hasTold` what it uses; otherwise
   * the share stays its own, as for a call that will run again. The first end counts.
   */
  end(hasTold: boolean): void;
}

/** What an answer says of the page after it. */
export interface LiveCursor {
  /** Keys from the root of the answer to the member that says so. */
  readonly path: readonly string[];
  /** The cursor: a text, a number, the JSON of an object, or `true` where the answer says no more than that there is a page. */
  readonly value: string | number | true;
}

/** What counts the tokens of a text. */
export interface TextCounter {
  readonly count: (
    text: string,
  ) => { readonly tokens: number } | Promise<{ readonly tokens: number }>;
}

/** Sizes of the conversation that an output would join, as far as they are known. */
export interface ConversationSize {
  /** Tokens of the conversation before this output. */
  readonly tokens?: number | undefined;
  /** Counts them as outputs are counted, for a gate or a budget that asks; adapters give it. Stands in for `tokens`. */
  readonly countedBy?: ((counter: TextCounter) => Promise<number>) | undefined;
  /** Context window of the model, in tokens. */
  readonly contextWindowTokens?: number | undefined;
}

export interface UnwrappedOutput {
  /** What a model would read inline; `undefined` when there is no text at all. */
  readonly text: string | undefined;
  readonly keptBlocks: readonly unknown[];
}
