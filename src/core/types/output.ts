export interface ToolOutput {
  readonly toolName: string;
  /**
   * The returned value: a string, any JSON value, an array of LangChain content blocks, or a stream. A stream is an
   * async iterable of text, bytes or records, such as a Node or web `ReadableStream`.
   */
  readonly value: unknown;
  /** Set if `value` is the text itself, which is not unwrapped again: the blocks beside it. */
  readonly keptBlocks?: readonly unknown[] | undefined;
  /** Set if `value` was cleaned at its source, so that it is not cleaned again. */
  readonly redacted?: true | undefined;
  /** Texts in the value that are clean already, such as descriptors. Adapters set it. */
  readonly cleanTexts?: ReadonlySet<unknown> | undefined;
  /** LangChain's `ToolMessage.artifact`, if the tool returned one. */
  readonly artifact?: unknown;
  /**
   * Identifies the outputs of one model turn, which are not deleted to make room for each other. Without it, an
   * output only protects itself.
   */
  readonly turn?: string | undefined;
  /**
   * Number of outputs in the turn, this one included. A single output gets its equal share of `turnBudget`; those of
   * `offloadAll` share the whole.
   *
   * @defaultValue `1`
   */
  readonly turnCalls?: number | undefined;
  /** Where it waits for the others of its turn. Adapters and `offloadAll` set it. */
  readonly slot?: BudgetSlot | undefined;
  /** Stops the reading of a stream. */
  readonly signal?: AbortSignal | undefined;
  readonly toolCallId?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The session of the output, such as the LangGraph thread id. Drill-ins reach only artifacts of their own session.
   */
  readonly sessionId: string;
  /** The size of the conversation, for gates that need it. */
  readonly conversation?: ConversationSize | undefined;
  /** Overrides for this call only. Invalid values are ignored with a warning. */
  readonly overrides?: unknown;
  /** The tool's `metadata`, for `include` and `exclude`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** One line that describes the output. The descriptor shows at most 200 characters of it. */
  readonly title?: string | undefined;
  /**
   * Notes of a plugin or the caller, which are stored with the artifact and not shown to the model. Texts only, at
   * most 1,024 characters as JSON; anything else is dropped.
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Ids of the stored outputs that it was made from; the first 32 are kept. */
  readonly derivedFrom?: readonly string[] | undefined;
  /** Stores the output whatever its size, and ignores `enabled`, `include`, `exclude` and limits. */
  readonly always?: true | undefined;
}

/** An output that is larger than its equal share of its turn's budget. */
export interface TurnOutput {
  readonly tokens: number;
  readonly budgetTokens: number;
}

/** The place of a tool call in its turn. */
export interface BudgetSlot {
  /** Adds an output that stays in any case; it is counted only if another one asks. */
  stays(count: () => Promise<number>): void;
  /**
   * Waits until every call of the turn has ended or waits too. Returns the most tokens of this output, or `undefined`
   * if it gets its equal share. Never rejects.
   */
  settle(output: TurnOutput): Promise<number | undefined>;
  /**
   * Ends the call; only the first call counts. If `hasTold`, others may use what it left of its share; otherwise the
   * share is kept, for a call that will run again.
   */
  end(hasTold: boolean): void;
}

/** What an answer says about the next page. */
export interface LiveCursor {
  /** Keys from the root of the answer to the cursor. */
  readonly path: readonly string[];
  /**
   * The cursor: a text, a number, the JSON of an object, or `true` if the answer only says that there is a next page.
   */
  readonly value: string | number | true;
}

/** Counts the tokens of a text. */
export interface TextCounter {
  readonly count: (
    text: string,
  ) => { readonly tokens: number } | Promise<{ readonly tokens: number }>;
}

/** Sizes of the conversation before an output, as far as known. */
export interface ConversationSize {
  /** Tokens of the conversation before this output. */
  readonly tokens?: number | undefined;
  /** Counts them as outputs are counted, on demand; adapters set it. Replaces `tokens`. */
  readonly countedBy?: ((counter: TextCounter) => Promise<number>) | undefined;
  /** Context window of the model, in tokens. */
  readonly contextWindowTokens?: number | undefined;
}

export interface UnwrappedOutput {
  /** What a model would read inline; `undefined` if there is no text. */
  readonly text: string | undefined;
  readonly keptBlocks: readonly unknown[];
}
