import { OffloadError } from "../types/errors.js";
import { type EncodedRecord, encodeRecord, withExpiry } from "./artifact-record.js";
import type { ArtifactStore, ByteRange, NewArtifact } from "./artifact-store.js";
import { ARTIFACT_ID_PATTERN } from "./naming.js";
import { checkPageSize, DEFAULT_PAGE_SIZE } from "./page.js";
import { clampRange } from "./body/range.js";
import { expired, goneError, readFailed, writeFailed } from "./store-error.js";

/** An artifact as a driver finds it; drivers add what they need to find its body. */
export interface DriverEntry {
  readonly record: NewArtifact;
  /** The JSON text of the record. */
  readonly text: string;
  /** The bytes of the range that the driver was told to bring along, if it has. */
  readonly ahead?: Uint8Array | undefined;
}

/**
 * What a store needs from a service that keeps its bytes. Ids are valid ones, and scopes are the
 * artifact's own: {@link remoteStore} has checked them. Faults are thrown as they come.
 */
export interface StoreDriver<Entry extends DriverEntry> {
  /** Writes all or nothing; `text` is the record's JSON. Fails when the id is taken. */
  write(
    artifact: EncodedRecord,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /**
   * Finds an artifact, also one that has expired. A driver that can do so in the same request brings along the bytes of
   * `ahead`, a range that may lie beyond the body's end.
   */
  find(id: string, scope: string, ahead?: ByteRange): Promise<Entry | undefined>;
  /** Exactly the bytes of a range within the body; `undefined` when the body is gone by now. */
  readBytes(entry: Entry, range: ByteRange): Promise<Uint8Array | undefined>;
  /** The first `limit` artifacts of a session with an id after `afterId`, by id, expired ones left out. */
  listAfter(
    scope: string,
    afterId: string,
    options: { readonly limit: number; readonly nowMs: number },
  ): Promise<readonly NewArtifact[]>;
  /**
   * Replaces the record of an entry that is still there; `text` is its JSON with a later expiry. Left out by
   * a driver that keeps record and body in one piece.
   */
  replace?(entry: Entry, expiresAt: number, text: string): Promise<boolean>;
  remove(id: string, scope: string): Promise<boolean>;
  sweep(nowMs: number): Promise<readonly NewArtifact[]>;
  /** The earliest expiry of what is stored, `Infinity` when nothing is; without looking through all of it. */
  nextExpiry?(): Promise<number>;
}

/** Makes a store without local files of a driver: checks ids, scope, expiry and ranges, and names faults. */
export function remoteStore<Entry extends DriverEntry>(
  name: string,
  driver: StoreDriver<Entry>,
  now: () => number,
): ArtifactStore {
  async function find(id: string, scope: string, ahead?: ByteRange): Promise<Entry | undefined> {
    if (!ARTIFACT_ID_PATTERN.test(id)) return undefined;
    const entry = await driver.find(id, scope, ahead);
    return entry?.record.id === id && entry.record.scope === scope ? entry : undefined;
  }

  async function bytesOf(
    entry: Entry,
    range: ByteRange | undefined,
    ahead: ByteRange | undefined,
  ): Promise<Uint8Array> {
    const { record } = entry;
    if (record.expiresAt <= now()) throw expired(record);
    const wanted = clampRange(range, record.sizeBytes);
    if (wanted.start === wanted.end) return new Uint8Array();
    const isAhead = wanted.start === ahead?.start && wanted.end === ahead.end;
    const isWhole = isAhead && entry.ahead?.length === wanted.end - wanted.start;
    const bytes = isWhole ? entry.ahead : await driver.readBytes(entry, wanted);
    if (bytes?.length === wanted.end - wanted.start) return bytes;
    if ((await find(record.id, record.scope)) === undefined) throw goneError(record, now());
    throw new Error("A part of the body is missing.");
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
    bodies: "remote",
    ...(driver.replace !== undefined && { refresh }),
    async put(artifact, body) {
      return naming(writeFailed, `Storing a tool output in ${name}`, async () => {
        const encoded = encodeRecord(artifact);
        await driver.write(encoded, body);
        return encoded.record;
      });
    },
    async stat(id, scope) {
      return naming(readFailed, "Looking up a stored output", async () => {
        const record = (await find(id, scope))?.record;
        return record === undefined || record.expiresAt <= now() ? undefined : record;
      });
    },
    async statExpired(id, scope) {
      return naming(readFailed, "Looking up an expired output", async () => {
        const record = (await find(id, scope))?.record;
        return record === undefined || record.expiresAt > now() ? undefined : record;
      });
    },
    async read(artifact, range) {
      return naming(readFailed, "Reading a stored output", async () => {
        // The caller's size is a guess; what is given is cut by the record's.
        const guess = clampRange(range, artifact.sizeBytes);
        const ahead =
          Number.isSafeInteger(guess.end) && guess.start < guess.end ? guess : undefined;
        const entry = await find(artifact.id, artifact.scope, ahead);
        if (entry === undefined) throw goneError(artifact, now());
        return bytesOf(entry, range, ahead);
      });
    },
    async list(scope, { cursor = "", pageSize = DEFAULT_PAGE_SIZE } = {}) {
      checkPageSize(pageSize);
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
