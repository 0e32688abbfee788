import { OffloadError } from "../types/errors.js";
import { type EncodedRecord, encodeRecord, withExpiry } from "./artifact-record.js";
import type { ArtifactStore, ByteRange, NewArtifact } from "./artifact-store.js";
import { ARTIFACT_ID_PATTERN } from "./naming.js";
import type { StoredArtifact } from "../types/artifact.js";

/** An artifact as a driver finds it; drivers add what they need to find its body. */
export interface DriverEntry {
  readonly record: StoredArtifact;
  /** The JSON text of the record. */
  readonly text: string;
}

/**
 * What a store needs from a service that keeps its bytes. Ids are valid ones, and scopes are the
 * artifact's own: {@link driverStore} has checked them. Faults are thrown as they come.
 */
export interface StoreDriver<Entry extends DriverEntry> {
  /** Writes all or nothing; `text` is the record's JSON. Fails when the id is taken. */
  write(
    artifact: EncodedRecord,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** Where a body is that was just written, in a store with local files. */
  filePath?(record: NewArtifact): string;
  /** Finds an artifact, also one that has expired. */
  find(id: string, scope: string): Promise<Entry | undefined>;
  /** Exactly the bytes of a range within the body; `undefined` when the body is gone by now. */
  readBytes(entry: Entry, range: ByteRange): Promise<Uint8Array | undefined>;
  /** The first `limit` artifacts of a session with an id after `afterId`, by id, expired ones left out. */
  listAfter(
    scope: string,
    afterId: string,
    options: { readonly limit: number; readonly nowMs: number },
  ): Promise<readonly StoredArtifact[]>;
  /**
   * Replaces the record of an entry that is still there; `text` is its JSON with a later expiry. Left out by
   * a driver that keeps record and body in one piece.
   */
  replace?(entry: Entry, expiresAt: number, text: string): Promise<boolean>;
  remove(id: string, scope: string): Promise<boolean>;
  sweep(nowMs: number): Promise<readonly StoredArtifact[]>;
  /** The earliest expiry of what is stored, `Infinity` when nothing is; without looking through all of it. */
  nextExpiry?(): Promise<number>;
}

/** Makes a store of a driver: checks ids, scope, expiry and ranges, and names faults. */
export function driverStore<Entry extends DriverEntry>(
  name: string,
  driver: StoreDriver<Entry>,
  {
    now,
    bodies = "remote",
  }: { readonly now: () => number } & Partial<Pick<ArtifactStore, "bodies">>,
): ArtifactStore {
  async function find(id: string, scope: string): Promise<Entry | undefined> {
    if (!ARTIFACT_ID_PATTERN.test(id)) return undefined;
    const entry = await driver.find(id, scope);
    return entry?.record.id === id && entry.record.scope === scope ? entry : undefined;
  }

  function look(id: string, scope: string, expired: boolean): Promise<StoredArtifact | undefined> {
    return naming(readFailed, "Looking up a stored output", async () => {
      const record = (await find(id, scope))?.record;
      return record === undefined || record.expiresAt <= now() !== expired ? undefined : record;
    });
  }

  async function refresh(id: string, scope: string, expiresAt: number): Promise<boolean> {
    return naming(writeFailed, "Prolonging a stored output", async () => {
      const entry = await find(id, scope);
      if (entry === undefined || entry.record.expiresAt <= now()) return false;
      if (entry.record.expiresAt >= expiresAt) return false;
      const text = withExpiry(entry.text, expiresAt);
      return (await driver.replace?.(entry, expiresAt, text)) ?? false;
    });
  }

  const nextExpiry = driver.nextExpiry?.bind(driver);
  return {
    name,
    bodies,
    ...(driver.replace !== undefined && { refresh }),
    async put(artifact, body) {
      return naming(writeFailed, `Storing a tool output in ${name}`, async () => {
        const encoded = encodeRecord(artifact);
        await driver.write(encoded, body);
        const filePath = driver.filePath?.(encoded.record);
        return { ...encoded.record, ...(filePath !== undefined && { filePath }) };
      });
    },
    stat: (id, scope) => look(id, scope, false),
    statExpired: (id, scope) => look(id, scope, true),
    async read(artifact, range) {
      return naming(readFailed, "Reading a stored output", async () => {
        const entry = await find(artifact.id, artifact.scope);
        if (entry === undefined) throw goneError(artifact, now());
        const { record } = entry;
        const nowMs = now();
        if (record.expiresAt <= nowMs) throw goneError(record, nowMs);
        // The caller's copy is a request: what is given is cut by the record's size.
        const wanted = clampRange(range, record.sizeBytes);
        if (wanted.start === wanted.end) return new Uint8Array();
        const bytes = await driver.readBytes(entry, wanted);
        if (bytes?.length === wanted.end - wanted.start) return bytes;
        if ((await find(record.id, record.scope)) === undefined) throw goneError(record, now());
        throw new Error("A part of the body is missing.");
      });
    },
    async list(scope, { cursor = "", pageSize = DEFAULT_PAGE_SIZE } = {}) {
      if (!(Number.isInteger(pageSize) && pageSize >= 1)) {
        throw new OffloadError(
          "INVALID_ARGUMENTS",
          `pageSize is ${pageSize}; it must be a whole number of at least 1.`,
        );
      }
      return naming(readFailed, "Listing stored outputs", async () => {
        // One more than the page holds tells whether the page is the last one.
        const options = { limit: pageSize + 1, nowMs: now() };
        const found = await driver.listAfter(scope, cursor, options);
        const page = found.slice(0, pageSize);
        const next = found.length > pageSize ? page.at(-1)?.id : undefined;
        return { artifacts: page, cursor: next };
      });
    },
    async delete(id, scope) {
      if (!ARTIFACT_ID_PATTERN.test(id)) return false;
      return naming(writeFailed, "Deleting a stored output", () => driver.remove(id, scope));
    },
    async sweep(nowMs) {
      return naming(writeFailed, "Sweeping stored outputs", () => driver.sweep(nowMs));
    },
    ...(nextExpiry !== undefined && {
      nextExpiry: () => naming(readFailed, "Asking for the next expiry", nextExpiry),
    }),
  };
}

async function naming<T>(
  fault: (action: string, cause: unknown) => OffloadError,
  action: string,
  job: () => Promise<T>,
): Promise<T> {
  try {
    return await job();
  } catch (error) {
    throw OffloadError.isInstance(error) ? error : fault(action, error);
  }
}

/** Artifacts a page when a list does not say. */
const DEFAULT_PAGE_SIZE: number = 1000;

/**
 * Clamps a range to a body: whole numbers, `start` and `end` within it, never negative in length.
 * Without a range it is the whole body.
 */
export function clampRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes };
  const start = clamp(range.start, sizeBytes);
  return { start, end: Math.max(start, clamp(range.end, sizeBytes)) };
}

function clamp(offset: number, sizeBytes: number): number {
  // `|| 0` also takes NaN, which no comparison would stop.
  return Math.min(Math.max(Math.trunc(offset) || 0, 0), sizeBytes);
}

/** The error of a `put` or `delete` that failed, whatever the fault was. */
export function writeFailed(action: string, cause: unknown): OffloadError {
  return new OffloadError("STORE_WRITE_FAILED", `${action} failed: ${reasonOf(cause)}`, { cause });
}

/** The error of a `stat`, `read` or `list` that a fault of the medium stopped. */
export function readFailed(action: string, cause: unknown): OffloadError {
  return new OffloadError("STORE_READ_FAILED", `${action} failed: ${reasonOf(cause)}`, { cause });
}

/**
 * The answer to a caller whose artifact is not there, the same for unknown, foreign and forged ids. What the caller's own
 * copy says of the expiry counts only here, since the store's may have been moved.
 */
function goneError(
  { id, expiresAt }: Pick<StoredArtifact, "id" | "expiresAt">,
  nowMs: number,
): OffloadError {
  const shown = JSON.stringify(id.slice(0, 64));
  return expiresAt <= nowMs
    ? new OffloadError(
        "ARTIFACT_EXPIRED",
        `The stored output ${shown} has expired. Call the tool again.`,
      )
    : new OffloadError(
        "ARTIFACT_NOT_FOUND",
        `No stored output with id ${shown} in this session. ` +
          "Use an id from a descriptor of this session, or call the tool again.",
      );
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * A session's artifacts, oldest first: all of them, or those of the first `maxPages` pages.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function listArtifacts(
  store: Pick<ArtifactStore, "list">,
  scope: string,
  maxPages: number = Infinity,
): Promise<StoredArtifact[]> {
  const artifacts: StoredArtifact[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = await store.list(scope, { cursor });
    artifacts.push(...listed.artifacts);
    cursor = listed.cursor;
    if (cursor === undefined) break;
  }
  return artifacts;
}

/** What a pool or a client says of a connection that it has lost while nobody used it. */
export interface ErrorEmitter {
  on?(event: "error", listener: (error: Error) => void): unknown;
}

const heard = new WeakSet<ErrorEmitter>();

/**
 * Listens to the errors of a pool or a client, however many stores share it: a connection that the server ends is one,
 * and unheard it would end the process. The next call connects anew, and what keeps it from that is its own error.
 */
export function hearErrors(emitter: ErrorEmitter): void {
  if (emitter.on === undefined || heard.has(emitter)) return;
  heard.add(emitter);
  emitter.on("error", () => undefined);
}

/** No put takes so long: what is unfinished for longer was left by a process that died. In milliseconds: a day. */
export const LONGEST_PUT_MS: number = 24 * 60 * 60 * 1000;
