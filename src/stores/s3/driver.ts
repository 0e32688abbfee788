import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import { decodeRecord, MAX_RECORD_BYTES } from "../../core/store/artifact-record.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { checkChunk, checkLength } from "../../core/store/body/chunks.js";
import {
  type DriverEntry,
  LONGEST_PUT_MS,
  type StoreDriver,
} from "../../core/store/store-driver.js";
import {
  abortUploads,
  createObject,
  listKeys,
  type ObjectPart,
  putObject,
  readPart,
  removeObject,
  type S3Bucket,
} from "./bucket.js";
import { ARTIFACT_ID_PATTERN } from "../../core/store/naming.js";

/** Bytes read to find an artifact; most records fit. */
const HEAD_BYTES = 8 * 1024;
/** Bytes that one request reads at most. */
const READ_BYTES = 8 * 1024 * 1024;
const READS_AT_ONCE = 4;
const ARTIFACTS_AT_ONCE = 16;

const LINE_FEED = 10;

interface Entry extends DriverEntry {
  /** Offset of the body in the object. */
  readonly bodyStart: number;
  /** The first bytes of the object. */
  readonly head: ObjectPart;
}

/**
 * Artifacts as one object each, the record on its first line and the body after it, and an empty object
 * for each expiry.
 */
export function s3Driver(bucket: S3Bucket, prefix: string): StoreDriver<Entry> {
  const keys = s3Keys(prefix);
  // Not every server heeds a condition, and no delete tells whether it did.
  const writing = new Set<string>();
  const removing = new Set<string>();

  async function find(id: string, scope: string): Promise<Entry | undefined> {
    const key = keys.artifact({ id, scope });
    const head = await readPart(bucket, key, { start: 0, end: HEAD_BYTES });
    if (head === undefined) return undefined;
    if (head.bytes.includes(LINE_FEED) || head.sizeBytes <= HEAD_BYTES) return entryOf(head);
    const longer = { start: 0, end: MAX_RECORD_BYTES + 1 };
    return entryOf(await readPart(bucket, key, longer, head.etag));
  }

  /** Finds an artifact under the name that its record has too. */
  async function load({ id, scope }: ArtifactName): Promise<NewArtifact | undefined> {
    const record = (await find(id, scope))?.record;
    return record?.id === id && record.scope === scope ? record : undefined;
  }

  async function refuseTaken(name: ArtifactName): Promise<void> {
    const found = await readPart(bucket, keys.artifact(name), { start: 0, end: 1 });
    if (found !== undefined) throw taken(name.id);
  }

  /** Removes an artifact whose time is over, or what a writer that was cut off has left of it. */
  async function sweepOne(due: ExpiryName, nowMs: number): Promise<NewArtifact | undefined> {
    const key = keys.artifact(due);
    return once(removing, key, async () => {
      const record = await load(due);
      if (record !== undefined && record.expiresAt > nowMs) {
        // Stored anew with another time, after a first try had failed.
        if (keys.expiry(record) !== due.key) await removeObject(bucket, due.key);
        return undefined;
      }
      await removeObject(bucket, key);
      if (record === undefined) await abortUploads(bucket, key);
      // A put may end after the life of what it stores: what tells of that has to be there then.
      const isOver = record !== undefined || due.expiresAt + LONGEST_PUT_MS <= nowMs;
      if (isOver) await removeObject(bucket, due.key);
      return record;
    });
  }

  return {
    find,
    async write({ record, text }, body) {
      const key = keys.artifact(record);
      if (writing.has(key)) throw taken(record.id);
      await once(writing, key, async () => {
        // Announced before anything is written, so that a sweep finds what a writer that ends here has left.
        await Promise.all([
          refuseTaken(record),
          putObject(bucket, keys.expiry(record), new Uint8Array()),
        ]);
        const writer = randomBytes(8).toString("hex");
        const line = Buffer.from(`${text}\n`);
        const sizeBytes = line.length + record.sizeBytes;
        const framed = frame(line, body, record.sizeBytes);
        try {
          await createObject(bucket, { key, body: framed, sizeBytes, writer });
        } catch (error) {
          // An answer may be lost, and the client's next try then meets its own object.
          const found = await find(record.id, record.scope).catch(() => undefined);
          if (found?.head.writer !== writer) throw error;
        }
      });
    },
    async readBytes({ bodyStart, head, record }, range) {
      const start = bodyStart + range.start;
      const end = bodyStart + range.end;
      if (end <= head.bytes.length) return head.bytes.slice(start, end);
      const bytes = new Uint8Array(end - start);
      const limit = pLimit(READS_AT_ONCE);
      const key = keys.artifact(record);
      const read = async (from: number): Promise<boolean> => {
        const to = Math.min(end, from + READ_BYTES);
        const part = await readPart(bucket, key, { start: from, end: to }, head.etag);
        if (part?.bytes.length !== to - from) return false;
        bytes.set(part.bytes, from - start);
        return true;
      };
      const offsets = Array.from(
        { length: Math.ceil(bytes.length / READ_BYTES) },
        (_, index) => start + index * READ_BYTES,
      );
      const found = await Promise.all(offsets.map((from) => limit(() => read(from))));
      return found.includes(false) ? undefined : bytes;
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const found: NewArtifact[] = [];
      const startAfter = afterId === "" ? undefined : keys.artifact({ id: afterId, scope });
      const range = { prefix: keys.sessionPrefix(scope), startAfter, pageSize: limit };
      for await (const page of listKeys(bucket, range)) {
        const ids = page.flatMap((key) => keys.idOf(key, scope) ?? []).filter((id) => id > afterId);
        while (ids.length > 0 && found.length < limit) {
          const asked = ids.splice(0, limit - found.length);
          const records = await inParallel(asked, (id) => load({ id, scope }));
          found.push(...records.filter(({ expiresAt }) => expiresAt > nowMs));
        }
        if (found.length === limit) break;
      }
      return found;
    },
    async remove(id, scope) {
      const key = keys.artifact({ id, scope });
      const removed = await once(removing, key, async () => {
        const record = await load({ id, scope });
        if (record === undefined) return undefined;
        await removeObject(bucket, key);
        await removeObject(bucket, keys.expiry(record));
        return record;
      });
      return removed !== undefined;
    },
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      for await (const page of listKeys(bucket, { prefix: keys.expiryPrefix })) {
        const names = page.flatMap((key) => keys.expiryOf(key) ?? []);
        const due = names.filter(({ expiresAt }) => expiresAt <= nowMs);
        swept.push(...(await inParallel(due, (name) => sweepOne(name, nowMs))));
        if (due.length < names.length) break;
      }
      return swept;
    },
    async nextExpiry() {
      for await (const [first] of listKeys(bucket, { prefix: keys.expiryPrefix, pageSize: 1 })) {
        // A key that is not ours says nothing of those after it.
        return first === undefined ? Infinity : (keys.expiryOf(first)?.expiresAt ?? 0);
      }
      return Infinity;
    },
  };
}

/** Runs a job under a name that no other job of this process has at the same time. */
async function once<T>(
  names: Set<string>,
  name: string,
  job: () => Promise<T>,
): Promise<T | undefined> {
  if (names.has(name)) return undefined;
  names.add(name);
  try {
    return await job();
  } finally {
    names.delete(name);
  }
}

/** What a job makes of each item, in their order, without the `undefined` ones. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  job: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const limit = pLimit(ARTIFACTS_AT_ONCE);
  const results = await Promise.all(items.map((item) => limit(() => job(item))));
  return results.filter((result) => result !== undefined);
}

/** The record's line and then the body, which must be as long as announced. */
async function* frame(
  line: Uint8Array,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  yield line;
  let lengthBytes = 0;
  for await (const chunk of body) {
    lengthBytes = checkChunk(chunk, lengthBytes, sizeBytes);
    yield chunk;
  }
  checkLength(lengthBytes, sizeBytes);
}

/** The artifact of an object; `undefined` when it is none, or not as long as its record says. */
function entryOf(head: ObjectPart | undefined): Entry | undefined {
  const lineEnd = head?.bytes.indexOf(LINE_FEED) ?? -1;
  if (head === undefined || lineEnd < 0) return undefined;
  const text = Buffer.from(head.bytes.subarray(0, lineEnd)).toString();
  const record = decodeRecord(text);
  if (record === undefined) return undefined;
  const bodyStart = lineEnd + 1;
  const isWhole = head.sizeBytes === bodyStart + record.sizeBytes;
  return isWhole ? { record, text, bodyStart, head } : undefined;
}

function taken(id: string): Error {
  return new Error(`The id ${id} is taken.`);
}

/** An artifact as its key names it. */
interface ArtifactName {
  readonly id: string;
  readonly scope: string;
}

/** An artifact whose time is over at `expiresAt`, in Unix milliseconds, and the key that says so. */
interface ExpiryName extends ArtifactName {
  readonly key: string;
  readonly expiresAt: number;
}

/** The keys of a store: one object an artifact, and an empty one that tells when it expires. */
interface S3Keys {
  readonly expiryPrefix: string;
  sessionPrefix(scope: string): string;
  artifact(name: ArtifactName): string;
  expiry(artifact: Pick<NewArtifact, "id" | "scope" | "expiresAt">): string;
  /** The id in a session's key, `undefined` for a key that is not ours. */
  idOf(key: string, scope: string): string | undefined;
  expiryOf(key: string): ExpiryName | undefined;
}

const EXPIRY_DIGITS = 16;
const EXPIRY_PATTERN = /^(\d{16})\/([0-9a-f]{64})\/([^/]+)$/;

/** A time in Unix milliseconds as a part of a key, padded, so that keys sort by time. */
function timeKey(timeMs: number): string {
  const wholeMs = Math.min(Math.max(Math.ceil(timeMs), 0), Number.MAX_SAFE_INTEGER);
  return String(wholeMs).padStart(EXPIRY_DIGITS, "0");
}

/** Makes the keys below a prefix. They have letters, digits, `_`, `-`, `.` and `/` only. */
export function s3Keys(prefix: string): S3Keys {
  const expiryPrefix = `${prefix}/expiry/`;
  const sessionPrefix = (scope: string): string => `${prefix}/artifact/${scope}/`;
  return {
    expiryPrefix,
    sessionPrefix,
    artifact: ({ id, scope }) => sessionPrefix(scope) + id,
    expiry: ({ id, scope, expiresAt }) => `${expiryPrefix}${timeKey(expiresAt)}/${scope}/${id}`,
    idOf: (key, scope) => {
      const start = sessionPrefix(scope);
      const id = key.slice(start.length);
      return key.startsWith(start) && ARTIFACT_ID_PATTERN.test(id) ? id : undefined;
    },
    expiryOf: (key) => {
      if (!key.startsWith(expiryPrefix)) return undefined;
      const [, expiresAt, scope, id] = EXPIRY_PATTERN.exec(key.slice(expiryPrefix.length)) ?? [];
      if (scope === undefined || id === undefined || !ARTIFACT_ID_PATTERN.test(id)) {
        return undefined;
      }
      return { key, id, scope, expiresAt: Number(expiresAt) };
    },
  };
}
