import { OffloadError, type OffloadErrorCode } from "../types/errors.js";
import type { StoredArtifact } from "../types/artifact.js";
import { type ArtifactRecord, encodeRecord, withExpiry } from "./artifact-record.js";
import type { ArtifactStore, ByteRange, NewArtifact } from "./artifact-store.js";
import type { Body } from "./chunks.js";
import { ARTIFACT_ID_PATTERN } from "./naming.js";
import { messageOf } from "../../util/error-message.js";

/** {@link driverStore} checks ids, sessions and expiry, and wraps errors. */
export interface StoreDriver<Entry extends ArtifactRecord = ArtifactRecord> {
  write(artifact: ArtifactRecord, body: Body): Promise<void>;
  filePath?(record: NewArtifact): string;
  find(id: string, sessionKey: string): Promise<Entry | undefined>;
  /** Exactly the bytes of a non-empty range; `undefined` if the body is gone. */
  readBytes(entry: Entry, range: ByteRange): Promise<Uint8Array | undefined>;
  /** At most `limit` records of ids after one; `next` continues. Expired ones may be among them. */
  page(
    sessionKey: string,
    after: string,
    limit: number,
  ): Promise<{ readonly records: readonly StoredArtifact[]; readonly next: string | undefined }>;
  replace?(entry: Entry, expiresAt: number, text: string): Promise<boolean>;
  remove(id: string, sessionKey: string): Promise<boolean>;
  sweep(nowMs: number): Promise<readonly StoredArtifact[]>;
}

const DEFAULT_PAGE_SIZE = 1000;
const SESSION_KEY = /^[0-9a-f]{64}$/;

export function isName(id: string, sessionKey: string): boolean {
  return ARTIFACT_ID_PATTERN.test(id) && SESSION_KEY.test(sessionKey);
}

export function driverStore<Entry extends ArtifactRecord>(
  name: string,
  driver: StoreDriver<Entry>,
  now: () => number = Date.now,
  bodies: ArtifactStore["bodies"] = "remote",
): ArtifactStore {
  // Not every service can create only what is absent.
  const coming = new Set<string>();

  async function find(id: string, sessionKey: string): Promise<Entry | undefined> {
    if (!isName(id, sessionKey)) return undefined;
    const entry = await driver.find(id, sessionKey);
    return entry?.record.id === id && entry.record.sessionKey === sessionKey ? entry : undefined;
  }

  const isExpired = ({ record }: Entry) => record.expiresAt <= now();

  const look =
    (expired: boolean): ArtifactStore["stat"] =>
    (id, sessionKey) =>
      reading("Looking up a stored output", async () => {
        const entry = await find(id, sessionKey);
        return entry && isExpired(entry) === expired ? entry.record : undefined;
      });

  const replace = driver.replace?.bind(driver);
  return {
    name,
    bodies,
    put: (artifact, body) =>
      writing(`Storing a tool output in ${name}`, async () => {
        const encoded = encodeRecord(artifact);
        const { id } = encoded.record;
        if (coming.has(id)) throw takenError(id);
        coming.add(id);
        try {
          await driver.write(encoded, body);
        } finally {
          coming.delete(id);
        }
        const filePath = driver.filePath?.(encoded.record);
        return { ...encoded.record, ...(filePath !== undefined && { filePath }) };
      }),
    stat: look(false),
    statExpired: look(true),
    read: (artifact, range) =>
      reading("Reading a stored output", async () => {
        const entry = await find(artifact.id, artifact.sessionKey);
        if (entry === undefined || isExpired(entry)) {
          throw goneError(entry?.record ?? artifact, now());
        }
        const { record } = entry;
        // Only the stored record is trusted.
        const wanted = clampRange(range, record.sizeBytes);
        if (wanted.start === wanted.end) return new Uint8Array();
        const bytes = await driver.readBytes(entry, wanted);
        if (bytes?.length === wanted.end - wanted.start) return bytes;
        if (await find(record.id, record.sessionKey)) {
          throw new OffloadError(
            "ARTIFACT_DAMAGED",
            `A part of the stored output ${record.id} is missing. If a tool made it, call that tool again.`,
          );
        }
        throw goneError(record, now());
      }),
    async list(sessionKey, { cursor = "", pageSize = DEFAULT_PAGE_SIZE } = {}) {
      if (!SESSION_KEY.test(sessionKey)) return { artifacts: [], cursor: undefined };
      const { records, next } = await reading("Listing stored outputs", () =>
        driver.page(sessionKey, cursor, pageSize),
      );
      return { artifacts: records.filter(({ expiresAt }) => expiresAt > now()), cursor: next };
    },
    async delete(id, sessionKey) {
      if (!isName(id, sessionKey)) return false;
      return await writing("Deleting a stored output", () => driver.remove(id, sessionKey));
    },
    ...(replace && {
      refresh: (id, sessionKey, expiresAt) =>
        writing("Prolonging a stored output", async () => {
          const entry = await find(id, sessionKey);
          if (entry === undefined || isExpired(entry) || entry.record.expiresAt >= expiresAt)
            return false;
          return await replace(entry, expiresAt, withExpiry(entry.text, expiresAt));
        }),
    }),
    sweep: (nowMs) => writing("Sweeping stored outputs", () => driver.sweep(nowMs)),
  };
}

type Attempt = <T>(action: string, job: () => Promise<T>) => Promise<T>;

function failingAs(code: OffloadErrorCode): Attempt {
  return async (action, job) => {
    try {
      return await job();
    } catch (error) {
      if (OffloadError.isInstance(error)) throw error;
      throw new OffloadError(code, `${action} failed: ${messageOf(error)}`, { cause: error });
    }
  };
}

export const reading: Attempt = failingAs("STORE_READ_FAILED");
export const writing: Attempt = failingAs("STORE_WRITE_FAILED");

/** Default: the whole body. */
export function clampRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes };
  const start = clamp(range.start, sizeBytes);
  return { start, end: Math.max(start, clamp(range.end, sizeBytes)) };
}

function clamp(offset: number, sizeBytes: number): number {
  // `|| 0` also handles NaN.
  return Math.min(Math.max(Math.trunc(offset) || 0, 0), sizeBytes);
}

export function takenError(id: string): Error {
  return new Error(`The id ${id} is taken.`);
}

function goneError({ id, expiresAt }: StoredArtifact, nowMs: number): OffloadError {
  const shown = JSON.stringify(id.slice(0, 64));
  return expiresAt <= nowMs
    ? new OffloadError(
        "ARTIFACT_EXPIRED",
        `The stored output ${shown} has expired. Call the tool again.`,
      )
    : new OffloadError(
        "ARTIFACT_NOT_FOUND",
        `No stored output with id ${shown} in this session. Use an id from a descriptor of this session, or call the tool again.`,
      );
}

/**
 * Oldest first.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function listArtifacts(
  store: Pick<ArtifactStore, "list">,
  sessionKey: string,
  maxPages: number = Infinity,
): Promise<StoredArtifact[]> {
  const artifacts: StoredArtifact[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = await store.list(sessionKey, { cursor });
    artifacts.push(...listed.artifacts);
    cursor = listed.cursor;
    if (cursor === undefined) break;
  }
  return artifacts;
}

/** A day, in milliseconds. An older unfinished put is dead. */
export const LONGEST_PUT_MS: number = 24 * 60 * 60 * 1000;
