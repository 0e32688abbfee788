/**
 * Returns the ids of other sessions whose outputs a session may read; the first 16 count. If the rule throws, returns
 * no list of texts or takes longer than a minute, nothing is opened.
 */
export type AccessRule = (read: {
  /** The session that asks: the thread id, or the application's own id. */
  readonly sessionId: string;
  /** The requested output. A model wrote the id, so only a session that stored the output has it. */
  readonly artifactId: string;
  /** The `context` of the run; `undefined` outside a run. */
  readonly context: unknown;
}) => readonly string[] | Promise<readonly string[]>;

/** The hashed sessions in which to look for an output besides the call's own. Never rejects. */
export type Access = (artifactId: string) => Promise<readonly string[]>;

/** `undefined` without a rule, and for a session that the application did not name. */
export type AccessOf = (sessionId: string | undefined, context?: unknown) => Access | undefined;
