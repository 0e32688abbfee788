/** Most of what may be stored; `undefined` sets no limit. */
export interface StorageCap {
  /** Bytes of all stored files together. */
  readonly bytes?: number | undefined;
}

/** How long stored outputs live. */
export interface RetentionOptions {
  /**
   * Life of an artifact in milliseconds, from the moment it is stored.
   *
   * @remarks Set it when conversations pause for longer than an hour, or data must be gone sooner.
   * @defaultValue `3_600_000`, one hour
   * @source LRO specification, Cleanup and Lifecycle.
   */
  readonly ttlMs?: number;
  /**
   * Whether each drill-in gives an artifact a whole life again, so that it expires when nobody has used it for
   * `ttlMs`. Needs a store with `refresh`, as all of this package have.
   *
   * @remarks Set it when what is used shall live, whenever it was stored.
   * @defaultValue `false`
   */
  readonly refreshOnRead?: boolean;
  /**
   * Most bytes of one session. What is over is deleted, the one not used for longest first, and never
   * what the same turn has stored.
   *
   * @remarks Set it when one conversation may not fill the disk.
   * @defaultValue no limit
   */
  readonly perSession?: StorageCap;
  /**
   * The same over all sessions that this process has met.
   *
   * @remarks Set it when the disk is small.
   * @defaultValue no limit
   */
  readonly perStore?: StorageCap;
}
