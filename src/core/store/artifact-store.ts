import type { StoredArtifact } from "../types/artifact.js";

/** Everything about a new artifact but where the store will put it. */
export type NewArtifact = Omit<StoredArtifact, "filePath">;

/** A byte range; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One page of a session's artifacts, oldest first. */
export interface ArtifactPage {
  readonly artifacts: readonly StoredArtifact[];
  /** Pass it to the next `list`; `undefined` on the last page. */
  readonly cursor: string | undefined;
}

/**
 * Keeps bodies as bytes and artifacts as plain JSON beside them. The offloader owns ids, session key and
 * expiry times; a store owns only bytes. Every store behaves as `storeContract` in `./testing` says:
 * an artifact is complete or absent, it is written once, and from its `expiresAt` on it is
 * absent for `stat`, `read` and `list`, whether or not a sweep has run. Only a caller that names the
 * artifact's own session gets it.
 */
export interface ArtifactStore {
  /** Short name for events and messages, such as `file`. */
  readonly name: string;
  /**
   * Where bodies are: in this process's `memory`, from which drill-ins take them without a copy on disk, in `files` of
   * this machine, which drill-ins read at the artifacts' `filePath`, `remote`, somewhere else, or `sealed`: encrypted
   * wherever they are, so that drill-ins hold them in memory only. Only remote bodies get a hash, since they are copied.
   */
  readonly bodies: "memory" | "files" | "remote" | "sealed";
  /**
   * Largest body that drill-ins hold in memory where no copy may or can be on the disk, in bytes.
   *
   * @defaultValue `67_108_864`, 64 MiB
   */
  readonly maxMemoryBytes?: number;
  /**
   * Stores a body under a new id.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED`; nothing is left behind then.
   */
  put(
    artifact: NewArtifact,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<StoredArtifact>;
  /**
   * The artifact, or `undefined` when it is unknown, expired or of another session, or its record is damaged.
   *
   * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
   */
  stat(id: string, sessionKey: string): Promise<StoredArtifact | undefined>;
  /**
   * The artifact when its time is over and no sweep has removed it yet, `undefined` otherwise and for
   * another session. Lets a process that never saw an artifact say that it has expired; stores that
   * drop what has expired at once leave it out.
   */
  statExpired?(id: string, sessionKey: string): Promise<StoredArtifact | undefined>;
  /**
   * The bytes of a range, shorter only at the end of the body; everything without a range.
   *
   * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND`, `ARTIFACT_EXPIRED` or `STORE_READ_FAILED`.
   */
  read(artifact: StoredArtifact, range?: ByteRange): Promise<Uint8Array>;
  /** A session's artifacts in a format that is known, at most `pageSize` (default 1,000) a page. */
  list(
    sessionKey: string,
    options?: { readonly cursor?: string | undefined; readonly pageSize?: number },
  ): Promise<ArtifactPage>;
  /** Whether something was deleted; deleting twice is harmless. */
  delete(id: string, sessionKey: string): Promise<boolean>;
  /**
   * Moves the expiry of an artifact that has not expired to a later time, in Unix milliseconds. `false`, with
   * nothing changed, when it is unknown, expired, of another session or expires later anyway. A store that
   * cannot do so leaves it out.
   */
  refresh?(id: string, sessionKey: string, expiresAt: number): Promise<boolean>;
  /** Deletes what had expired at `nowMs` and returns it. Safe to run twice at once. */
  sweep(nowMs: number): Promise<readonly StoredArtifact[]>;
  /**
   * When the first of what is stored expires, as far as the store knows without looking through all of it, in
   * Unix milliseconds: `Infinity` when nothing is stored, a time that is past when it does not know. Sweeps are
   * timed by it. A store that never knows leaves it out.
   */
  nextExpiry?(): Promise<number>;
}

/** What of a store looks up and reads. */
export type ReadingStore = Pick<
  ArtifactStore,
  "name" | "bodies" | "maxMemoryBytes" | "stat" | "statExpired" | "read"
>;
