import { OffloadError } from "../types/errors.js";
import type { ArtifactStore } from "./artifact-store.js";
import { sessionKeyOf } from "./naming.js";
import type { StoredArtifact } from "../types/artifact.js";
import { listArtifacts } from "./store-driver.js";
import { keepLatest } from "../../util/keep-latest.js";
import { startSweeper, type Sweeper, type SweeperOptions } from "./sweeper.js";

/** @source LRO specification, Custodial Integration: hourly. */
const SWEEP_INTERVAL_MS = 3_600_000;

interface LifetimeOptions extends Pick<SweeperOptions, "now" | "onExpired" | "whileHeld"> {
  readonly store: ArtifactStore;
  readonly maxSessionBytes: number | undefined;
  readonly maxTotalBytes: number | undefined;
  /** In milliseconds; `undefined` if reading does not extend the life. */
  readonly refreshMs: (artifact: StoredArtifact) => number | undefined;
  readonly onEvicted: (artifact: StoredArtifact) => void;
}

export interface Lifetime {
  /** @throws {@link OffloadError} with code `STORE_WRITE_FAILED` after `close`. */
  checkOpen(): void;
  begin(expiresAt: number): void;
  /** Protects an artifact until {@link stored} or {@link gone}. `false` if it is being deleted. */
  coming(id: string): boolean;
  gone(id: string): void;
  /** Enforces the caps, least recently used first, sparing this turn. Never rejects. */
  stored(artifact: StoredArtifact, turn: string | undefined): Promise<void>;
  /** Never rejects. */
  readonly used: (artifact: StoredArtifact) => Promise<StoredArtifact>;
  sweep(): Promise<readonly StoredArtifact[]>;
  endSession(sessionId: string): Promise<readonly StoredArtifact[]>;
  close(): Promise<void>;
}

const CLOSED =
  "This offloader is closed: nothing sweeps what it would store. Make a new one, or close it later.";

interface Entry {
  readonly artifact: StoredArtifact;
  readonly turn: string | undefined;
}

const MAX_ENTRIES = 100_000;
const MAX_FAILURES = 3;
const MAX_SESSIONS = 1_000;

export function createLifetime(options: LifetimeOptions): Lifetime {
  const { store, maxSessionBytes, maxTotalBytes, refreshMs, now, onEvicted, onExpired, whileHeld } =
    options;
  const hasCaps = maxSessionBytes !== undefined || maxTotalBytes !== undefined;
  const entries = new Map<string, Entry>();
  const known = new Map<string, true>();
  const awaited = new Map<string, number>();
  let leaving: string | undefined;
  let work: Promise<void> = Promise.resolve();
  let sweeper: Sweeper | undefined;
  let isClosed = false;
  const sweeping = { store, intervalMs: SWEEP_INTERVAL_MS, now, onExpired, whileHeld };
  const started = (): Sweeper => (sweeper ??= startSweeper(sweeping));

  function note(entry: Entry) {
    // An only copy is never evicted.
    if (entry.artifact.onlyCopy) return;
    keepLatest(entries, entry.artifact.id, entry, MAX_ENTRIES);
  }

  function gone(id: string) {
    const calls = awaited.get(id) ?? 0;
    if (calls > 1) awaited.set(id, calls - 1);
    else awaited.delete(id);
  }

  async function meet(sessionKey: string) {
    if (known.has(sessionKey)) return;
    const listed = await listArtifacts(store, sessionKey);
    const before = listed.filter(({ id }) => !entries.has(id) && !awaited.has(id));
    const met = [...entries.values()];
    entries.clear();
    for (const artifact of before) note({ artifact, turn: undefined });
    for (const entry of met) note(entry);
    keepLatest(known, sessionKey, true, MAX_SESSIONS);
  }

  async function evict(
    maxBytes: number | undefined,
    newest: Entry,
    isCounted: (entry: Entry) => boolean,
  ) {
    if (maxBytes === undefined) return;
    const counted = [...entries.values()].filter(isCounted);
    let bytes = counted.reduce((sum, { artifact }) => sum + artifact.sizeBytes, 0);
    let failures = 0;
    for (const entry of counted) {
      if (bytes <= maxBytes || failures === MAX_FAILURES) return;
      const { id, sessionKey, sizeBytes } = entry.artifact;
      const current = entries.get(id);
      // It may have been used meanwhile, or is about to be returned.
      const isInUse = awaited.has(id) || (current !== undefined && current !== entry);
      if (isInUse || isOfTurn(entry, newest)) continue;
      leaving = id;
      try {
        if (current && (await store.delete(id, sessionKey))) onEvicted(entry.artifact);
        entries.delete(id);
        bytes -= sizeBytes;
      } catch {
        // The next output tries again.
        failures += 1;
      } finally {
        leaving = undefined;
      }
    }
  }

  async function makeRoom(newest: Entry) {
    const { sessionKey } = newest.artifact;
    // If the store cannot list, only known artifacts count.
    await meet(sessionKey).catch(() => {});
    for (const [id, { artifact }] of entries) if (artifact.expiresAt <= now()) entries.delete(id);
    await evict(maxSessionBytes, newest, ({ artifact }) => artifact.sessionKey === sessionKey);
    await evict(maxTotalBytes, newest, () => true);
  }

  return {
    checkOpen() {
      if (isClosed) throw new OffloadError("STORE_WRITE_FAILED", CLOSED);
    },
    begin(expiresAt) {
      // Another process sweeps outputs stored after `close`.
      if (!isClosed) started().note(expiresAt);
    },
    coming(id) {
      if (leaving === id) return false;
      if (hasCaps) awaited.set(id, (awaited.get(id) ?? 0) + 1);
      return true;
    },
    gone,
    stored(artifact, turn) {
      gone(artifact.id);
      if (!hasCaps) return Promise.resolve();
      const entry = { artifact, turn };
      note(entry);
      // Serialized, so that two outputs do not both make room for both.
      work = work.then(() => makeRoom(entry)).catch(() => {});
      return work;
    },
    async used(artifact) {
      const wasKnown = entries.has(artifact.id);
      let current = artifact;
      const lifeMs = refreshMs(artifact);
      const expiresAt = now() + (lifeMs ?? 0);
      if (lifeMs !== undefined) sweeper?.note(expiresAt);
      if (lifeMs !== undefined && expiresAt > artifact.expiresAt) {
        const isMoved = await store
          .refresh?.(artifact.id, artifact.sessionKey, expiresAt)
          .catch(() => false);
        if (isMoved === true) current = { ...artifact, expiresAt };
      }
      const entry = entries.get(artifact.id);
      // Keeps a concurrent deletion or turn.
      if (hasCaps && (!wasKnown || entry !== undefined)) {
        note({ artifact: current, turn: entry?.turn });
      }
      return current;
    },
    async sweep() {
      const swept = await started().sweep();
      if (isClosed) await started().close();
      return swept;
    },
    async endSession(sessionId) {
      const sessionKey = sessionKeyOf(sessionId);
      known.delete(sessionKey);
      for (const [id, { artifact }] of entries)
        if (artifact.sessionKey === sessionKey) entries.delete(id);
      const removed: StoredArtifact[] = [];
      for (const artifact of await listArtifacts(store, sessionKey)) {
        if (await store.delete(artifact.id, sessionKey)) removed.push(artifact);
      }
      return removed;
    },
    async close() {
      isClosed = true;
      await sweeper?.close();
    },
  };
}

function isOfTurn(entry: Entry, newest: Entry): boolean {
  if (entry.artifact.id === newest.artifact.id) return true;
  const isSameSession = entry.artifact.sessionKey === newest.artifact.sessionKey;
  return isSameSession && entry.turn !== undefined && entry.turn === newest.turn;
}
