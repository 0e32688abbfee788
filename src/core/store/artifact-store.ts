import type { StoredArtifact } from "../types/artifact.js";

/** A new artifact, before the store adds `filePath`. */
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
 * Keeps bodies as bytes, and their artifacts as JSON. The offloader decides ids, session keys and expiry times. Every
 * store passes `storeContract` of `./testing`: an artifact is complete or absent, and is written once. From its
 * `expiresAt` on it is absent for `stat`, `read` and `list`, even before a sweep. A caller gets an artifact only by
 * naming its session.
 */
export interface ArtifactStore {
  /** Short name for events and messages, such as `file`. */
  readonly name: string;
  /**
   * Where bodies are: in the `memory` of this process, from which drill-ins read them without a copy on disk; in
   * local `files`, which drill-ins read at `filePath`; `remote`; or `sealed`, which is encrypted, so that drill-ins
   * hold bodies in memory only. Only remote bodies get a hash, because they are copied.
   */
  readonly bodies: "memory" | "files" | "remote" | "sealed";
  /**
   * Largest body that drill-ins hold in memory if it may not or cannot be copied to disk, in bytes.
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
   * The artifact, or `undefined` if it is unknown, expired, of another session, or damaged.
   *
   * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
   */
  stat(id: string, sessionKey: string): Promise<StoredArtifact | undefined>;
  /**
   * The artifact if it has expired but no sweep has removed it; otherwise, and for another session, `undefined`. It
   * lets a process report the expiry of an artifact that it never saw. Stores that drop expired artifacts at once
   * omit this method.
   */
  statExpired?(id: string, sessionKey: string): Promise<StoredArtifact | undefined>;
  /**
   * The bytes of a range, or all of them. The result is shorter than the range only at the end of the body.
   *
   * @throws {@link OffloadError} with code `ARTIFACT_NOT_FOUND`, `ARTIFACT_EXPIRED` or `STORE_READ_FAILED`.
   */
  read(artifact: StoredArtifact, range?: ByteRange): Promise<Uint8Array>;
  /** The artifacts of a session that have a known format, at most `pageSize` (default 1,000) per page. */
  list(
    sessionKey: string,
    options?: { readonly cursor?: string | undefined; readonly pageSize?: number },
  ): Promise<ArtifactPage>;
  /** Returns whether something was deleted. Deleting twice is harmless. */
  delete(id: string, sessionKey: string): Promise<boolean>;
  /**
   * Moves the expiry of an artifact to a later time, in Unix milliseconds. Returns `false` and changes nothing if the
   * artifact is unknown, expired, of another session, or expires later anyway. Stores that cannot do this omit the
   * method.
   */
  refresh?(id: string, sessionKey: string, expiresAt: number): Promise<boolean>;
  /** Deletes what had expired at `nowMs` and returns it. Concurrent sweeps are safe. */
  sweep(nowMs: number): Promise<readonly StoredArtifact[]>;
}

export type ReadingStore = Pick<
  ArtifactStore,
  "name" | "bodies" | "maxMemoryBytes" | "stat" | "statExpired" | "read"
>;
