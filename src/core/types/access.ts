/**
 * Says which other sessions' outputs a session may read: their ids, as the application knows them; the first 16 count.
 * What throws, gives no list of texts or takes longer than a minute opens nothing.
 */
export type AccessRule = (read: {
  /** The session that asks: the thread, or what the application gave in its place. */
  readonly sessionId: string;
  /** The output that it asks for. A model wrote the id: only a session that has stored it has it. */
  readonly artifactId: string;
  /** What the run was given as `context`; `undefined` where there is no run. */
  readonly context: unknown;
}) => readonly string[] | Promise<readonly string[]>;

/** The hashed sessions, beside a call's own, in which an output may be looked for. Never rejects. */
export type Access = (artifactId: string) => Promise<readonly string[]>;

/**
 * What a session may read of others; `undefined` where the rule is not asked: without one, and for a session that the
 * application did not name.
 */
export type AccessOf = (sessionId: string | undefined, context?: unknown) => Access | undefined;
