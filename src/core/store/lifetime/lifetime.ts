import { OffloadError } from "../../types/errors.js";
import type { ArtifactStore } from "../artifact-store.js";
import { scopeOf } from "../naming.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { listArtifacts } from "../list-artifacts.js";
import { createRetention, type Retention, type RetentionRules } from "./retention.js";
import { startSweeper, type Sweeper, type SweeperOptions } from "./sweeper.js";

/** From one sweep to the next. @source LRO specification, Custodial Integration: hourly. */
const SWEEP_INTERVAL_MS = 3_600_000;

/** What {@link createLifetime} works with. */
export interface LifetimeOptions extends RetentionRules {
  readonly store: ArtifactStore;
  /**
   * Called once for each artifact that a sweep deleted; what it throws changes nothing. It is held for as long as something can
   * expire, also when nobody has the offloader any more.
   */
  readonly onExpired: (artifact: StoredArtifact) => void;
  /** The same, called before it while somebody has the offloader. */
  readonly whileHeld: (artifact: StoredArtifact) => void;
}

/** How long what is stored lives, and how long anything may be stored. */
export interface Lifetime extends Pick<Retention, "coming" | "gone" | "stored" | "used"> {
  /** @throws {@link OffloadError} with code `STORE_WRITE_FAILED` after the end. */
  checkOpen(): void;
  /** Sweeps from now on, unless this is closed, and until what expires at this time is removed. */
  begin(expiresAt: number): void;
  /** Deletes what has expired, and returns it. */
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Deletes what a session has stored, and returns it. */
  endSession(sessionId: string): Promise<readonly StoredArtifact[]>;
  /** Sweeps once more and ends the timer. What is stored stays until it expires. */
  close(): Promise<void>;
}

const CLOSED =
  "This offloader is closed: nothing sweeps what it would store. Make a new one, or close it later.";

/** Creates what keeps, sweeps and ends the artifacts of one offloader; nothing is swept before the first is stored. */
export function createLifetime(options: LifetimeOptions): Lifetime {
  const { store, now, refreshMs, whileHeld } = options;
  const retention = createRetention(options);
  let sweeper: Sweeper | undefined;
  let isClosed = false;
  const started = (): Sweeper => (sweeper ??= startSweeper(loosely(options, whileHeld)));

  return {
    coming: (id) => retention.coming(id),
    gone: (id) => retention.gone(id),
    stored: (artifact, turn) => retention.stored(artifact, turn),
    used(artifact) {
      const lifeMs = refreshMs(artifact);
      if (lifeMs !== undefined) sweeper?.note(now() + lifeMs);
      return retention.used(artifact);
    },
    checkOpen() {
      if (isClosed) throw new OffloadError("STORE_WRITE_FAILED", CLOSED);
    },
    begin(expiresAt) {
      // What was begun before the end may be stored after it, and is swept by whoever comes next.
      if (!isClosed) started().note(expiresAt);
    },
    async sweep() {
      const swept = await started().sweep();
      if (isClosed) await started().close();
      return swept;
    },
    async endSession(sessionId) {
      retention.forget(scopeOf(sessionId));
      return await endSession(store, sessionId);
    },
    async close() {
      isClosed = true;
      await sweeper?.close();
    },
  };
}

/**
 * What a sweeper needs, without a hold on the offloader: its timer would keep that for ever, and programs make one for each request. So
 * this is a function of its own, whose variables its functions share.
 */
function loosely(
  { store, now, onExpired }: LifetimeOptions,
  whileHeld: LifetimeOptions["whileHeld"],
): SweeperOptions {
  const held = new WeakRef(whileHeld);
  return {
    store,
    intervalMs: SWEEP_INTERVAL_MS,
    now,
    onExpired(artifact) {
      held.deref()?.(artifact);
      onExpired(artifact);
    },
    isHeld: () => held.deref() !== undefined,
  };
}

/**
 * Deletes what a session has stored, and returns it. Artifacts that another call removes meanwhile
 * are not returned; ending a session twice is harmless.
 *
 * @throws {@link OffloadError} whatever the store throws; what was deleted before stays deleted.
 */
export async function endSession(
  store: ArtifactStore,
  sessionId: string,
): Promise<readonly StoredArtifact[]> {
  const scope = scopeOf(sessionId);
  const removed: StoredArtifact[] = [];
  for (const artifact of await listArtifacts(store, scope)) {
    if (await store.delete(artifact.id, scope)) removed.push(artifact);
  }
  return removed;
}
