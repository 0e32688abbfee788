import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";

import {
  type ArtifactStore,
  createOffloader,
  memoryStore,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
  sessionKeyOf,
  type StoredArtifact,
} from "./entries.js";
import { data, fieldsOf, type Names, plain } from "./plain.js";

/** The session of outputs that name no other. */
export const SESSION = "session-1";
/** The thread of runs that have one. */
export const THREAD = "thread-1";
/** Sessions of which the hash is pinned; others are random. */
const KNOWN = [SESSION, "session-2", THREAD, "thread-2"].map((session) => sessionKeyOf(session));
/** 2 January 2026, 03:04:05 UTC. */
const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** What one case runs with: a clock, a store that is watched, a directory, and what was told. */
export interface Rig {
  nowMs: number;
  readonly events: OffloadEvent[];
  /** In memory; the one of all options that give none. */
  readonly store: ArtifactStore;
  /** A temporary directory, made when it is first asked for. Its path is as long on every machine. */
  readonly directory: () => string;
  /** What makes options complete for this rig. */
  readonly options: (given?: OffloadOptions) => OffloadOptions;
  /** An offloader that is closed with the rig. */
  readonly offloader: (given?: OffloadOptions) => Offloader;
  /** Has the end of the rig wait for something. */
  readonly atEnd: (end: () => unknown) => void;
  /** A store whose artifacts are pinned with the case. */
  readonly watched: (store: ArtifactStore) => ArtifactStore;
  /** Another word for a text that differs from run to run. */
  readonly name: (text: string, name: string) => void;
  /** What is pinned of the case; of `left`, what lies in a store as it is, the fields. */
  readonly pinned: (result: unknown, left?: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export function openRig(): Rig {
  const events: OffloadEvent[] = [];
  const put: { store: ArtifactStore; artifact: StoredArtifact }[] = [];
  const ends: (() => unknown)[] = [];
  const fixed: [string, string][] = [];
  let directory: string | undefined;
  const now = (): number => rig.nowMs;

  function watched(store: ArtifactStore): ArtifactStore {
    return {
      ...store,
      put: async (artifact, body) => {
        const stored = await store.put(artifact, body);
        put.push({ store, artifact: stored });
        return stored;
      },
    };
  }

  /** What was put, in its order, and the body of what is still there. */
  async function everStored(): Promise<readonly Kept[]> {
    return await Promise.all(
      put.map(async ({ store, artifact }) => {
        const record = await store.stat(artifact.id, artifact.sessionKey);
        return record ? { record, body: await store.read(record) } : { record: artifact };
      }),
    );
  }

  const rig: Rig = {
    nowMs: START_MS,
    events,
    watched,
    store: watched(memoryStore({ now })),
    directory: () => (directory ??= mkdtempSync("/tmp/offload-corpus-")),
    options: (given = {}) => ({
      // A preset counts by its own.
      ...(given.preset === undefined && { tokenizer: "characters" as const }),
      store: rig.store,
      now,
      onEvent: (event) => void events.push(event),
      ...(!isLimited(given) && { threshold: { tokens: 1600 } }),
      ...given,
    }),
    offloader: (given) => {
      const offloader = createOffloader(rig.options(given));
      ends.push(() => offloader.close());
      return offloader;
    },
    atEnd: (end) => void ends.push(end),
    name: (text, name) => void fixed.push([text, name]),
    pinned: async (result, left) => {
      const kept = await everStored();
      const names: Names = {
        fixed: [
          ...fixed,
          ...scopesOf(kept, events),
          ...(directory === undefined ? [] : [[directory, "<directory>"] as const]),
        ],
        ids: new Map(),
        records: new Set(kept.map(({ record }) => record.id)),
      };
      const told = { result: plain(result, names), events: plain(events, names) };
      return {
        ...(events.length > 0 && { events: told.events }),
        ...(directory !== undefined && { files: plain(filesIn(directory), names) }),
        ...(left !== undefined && { left: plain(fieldsOf(left), names) }),
        result: told.result,
        ...(kept.length > 0 && { stored: kept.map((one) => pinnedArtifact(one, names)) }),
      };
    },
    close: async () => {
      for (const end of ends.toReversed()) await end();
      if (directory !== undefined) rmSync(directory, { recursive: true });
    },
  };
  return rig;
}

/**
 * Whether options say what is large, or that a preset does. Others have a threshold that is
 * stated, so that small texts of every kind can leave.
 */
function isLimited({ threshold, gates, preset }: OffloadOptions): boolean {
  return [threshold, gates, preset].some((one) => one !== undefined);
}

/** An artifact that was put; without a body where it has gone since. */
interface Kept {
  readonly record: StoredArtifact;
  readonly body?: Uint8Array;
}

/** Names of random sessions' hashes, in the order in which they appear. */
function scopesOf(
  kept: readonly Kept[],
  events: readonly OffloadEvent[],
): (readonly [string, string])[] {
  const sessionKeys = [
    ...kept.map(({ record }) => record.sessionKey),
    ...events.flatMap((event) =>
      "sessionKey" in event && event.sessionKey !== undefined ? [event.sessionKey] : [],
    ),
  ];
  const random = [...new Set(sessionKeys)].filter((sessionKey) => !KNOWN.includes(sessionKey));
  return random.map((sessionKey, index) => [sessionKey, `<random session ${index + 1}>`]);
}

function pinnedArtifact({ record, body }: Kept, names: Names): unknown {
  const counted = { ...record, fields: record.fields.join(), recipes: record.recipes.length };
  return {
    body: body === undefined ? "<gone>" : data(body),
    record: plain(counted, { ...names, records: new Set() }),
  };
}

/** The files of a directory by their paths, with their rights. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((path) => `${(statSync(path).mode & 0o777).toString(8)}:${relative(directory, path)}`);
}
