import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import {
  type ArtifactRecord,
  decodeRecord,
  MAX_RECORD_BYTES,
} from "../../core/store/artifact-record.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { headed, readInParts } from "../../core/store/chunks.js";
import { ARTIFACT_ID_PATTERN } from "../../core/store/naming.js";
import { driverStore, LONGEST_PUT_MS, takenError } from "../../core/store/store-driver.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { checkedOptions, having, notEmpty, optionsOf } from "../../util/option-rules.js";
import { LINE_FEED } from "../../util/text-encoding.js";
import { textRule } from "../../util/text-rule.js";
import { sharedOptions, type SharedStoreOptions } from "../remote.js";
import { type ObjectPart, S3Bucket, type S3Sender } from "./bucket.js";

export type { S3Sender } from "./bucket.js";

/** Options of {@link s3Store}. */
export interface S3StoreOptions extends SharedStoreOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`, which you must destroy. */
  readonly client: S3Sender;
  /** An existing bucket. */
  readonly bucket: string;
  /**
   * First part of every key: 1 to 8 names with `/` between, each of 1 to 64 letters, digits, `_`,
   * `-` and `.`, and not of dots alone.
   * @defaultValue `"offload"`
   */
  readonly prefix?: string;
}

const PREFIX_PATTERN = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7}$/;
const schema = optionsOf({
  client: having(["send"], "an S3Client of `@aws-sdk/client-s3`"),
  bucket: notEmpty("the name of a bucket that exists"),
  prefix: textRule(
    PREFIX_PATTERN,
    "1 to 8 names of letters, digits, _, - and . with / between",
  ).optional(),
  ...sharedOptions,
});

/**
 * Keeps artifacts in an S3 bucket, or on a server with the same protocol. Each is one object, so that an artifact is
 * complete or absent, and a read takes only the bytes it needs. An id is written once where the server supports
 * `If-None-Match`; elsewhere, once within a process. Needs the package `@aws-sdk/client-s3`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function s3Store(options: S3StoreOptions): ArtifactStore {
  const checked = checkedOptions<S3StoreOptions>("s3Store", schema, options);
  const { client, bucket: name, prefix = "offload", timeoutMs = 30_000, now } = checked;
  // One object for each artifact, with the record on its first line and the body after it, and an empty object for
  // each expiry.
  const bucket = new S3Bucket(client, name, timeoutMs);
  const sessionPrefix = (sessionKey: string) => `${prefix}/artifact/${sessionKey}/`;
  const keyOf = ({ id, sessionKey }: ArtifactName) => sessionPrefix(sessionKey) + id;
  const expiries = `${prefix}/expiry/`;

  function expiryKey({ id, sessionKey, expiresAt }: Expiry): string {
    const time = String(Math.ceil(expiresAt)).padStart(16, "0");
    return `${expiries}${time}/${sessionKey}/${id}`;
  }

  /** `undefined` for another object's key. */
  function expiryIn(key: string): Expiry | undefined {
    if (!key.startsWith(expiries)) return undefined;
    const [, time, sessionKey, id = ""] = EXPIRY_PATTERN.exec(key.slice(expiries.length)) ?? [];
    return sessionKey !== undefined && ARTIFACT_ID_PATTERN.test(id)
      ? { id, sessionKey, expiresAt: Number(time) }
      : undefined;
  }

  // No delete reports whether it did.
  const removing = new Set<string>();

  async function find(id: string, sessionKey: string): Promise<Entry | undefined> {
    const key = keyOf({ id, sessionKey });
    const head = await bucket.readPart(key, { start: 0, end: HEAD_BYTES });
    if (head === undefined) return undefined;
    if (head.bytes.includes(LINE_FEED) || head.sizeBytes <= HEAD_BYTES) return entryOf(head);
    const longer = { start: 0, end: MAX_RECORD_BYTES + 1 };
    return entryOf(await bucket.readPart(key, longer, head.etag));
  }

  async function load({ id, sessionKey }: ArtifactName): Promise<StoredArtifact | undefined> {
    const record = (await find(id, sessionKey))?.record;
    return record?.id === id && record.sessionKey === sessionKey ? record : undefined;
  }

  async function onlyRemoval<T>(key: string, job: () => Promise<T>): Promise<T | undefined> {
    if (removing.has(key)) return undefined;
    removing.add(key);
    try {
      return await job();
    } finally {
      removing.delete(key);
    }
  }

  async function sweepOne(mark: string, nowMs: number): Promise<StoredArtifact | undefined> {
    const due = expiryIn(mark);
    if (due === undefined) return undefined;
    const key = keyOf(due);
    return onlyRemoval(key, async () => {
      const record = await load(due);
      if (record !== undefined && record.expiresAt > nowMs) {
        // Stored again with another expiry after a failed attempt.
        if (expiryKey(record) !== mark) await bucket.removeObject(mark);
        return undefined;
      }
      await bucket.removeObject(key);
      if (record === undefined) await bucket.abortUploads(key);
      // A put may end after the artifact expires, and a later sweep must then find the expiry object.
      const isOver = record !== undefined || due.expiresAt + LONGEST_PUT_MS <= nowMs;
      if (isOver) await bucket.removeObject(mark);
      return record;
    });
  }

  return driverStore<Entry>(
    "s3",
    {
      find,
      async write({ record, text }, body) {
        const key = keyOf(record);
        // Written before anything else, so that a sweep finds the leftovers of an interrupted writer.
        const [found] = await Promise.all([
          bucket.readPart(key, { start: 0, end: 1 }),
          bucket.putMark(expiryKey(record)),
        ]);
        if (found !== undefined) throw takenError(record.id);
        const writer = randomBytes(8).toString("hex");
        const line = Buffer.from(`${text}\n`);
        const sizeBytes = line.length + record.sizeBytes;
        try {
          await bucket.createObject({ key, body: headed(line, body), sizeBytes, writer });
        } catch (error) {
          // After a lost answer, the client's retry meets its own object.
          const stored = await find(record.id, record.sessionKey).catch(() => undefined);
          if (stored?.head.writer !== writer) throw error;
        }
      },
      async readBytes({ bodyStart, head, record }, range) {
        const [start, end] = [bodyStart + range.start, bodyStart + range.end];
        if (end <= head.bytes.length) return head.bytes.slice(start, end);
        const parts = { partBytes: READ_BYTES, atOnce: READS_AT_ONCE };
        const key = keyOf(record);
        return readInParts({ start, end }, parts, async (part) => {
          return (await bucket.readPart(key, part, head.etag))?.bytes;
        });
      },
      async page(sessionKey, after, limit) {
        const start = sessionPrefix(sessionKey);
        const page = await bucket.listKeys(start, after === "" ? undefined : start + after, limit);
        const names = page.keys.map((key) => key.slice(start.length));
        const ids = names.filter((name) => ARTIFACT_ID_PATTERN.test(name));
        const records = await inParallel(ids, (id) => load({ id, sessionKey }));
        return { records, next: page.hasMore ? names.at(-1) : undefined };
      },
      async remove(id, sessionKey) {
        const key = keyOf({ id, sessionKey });
        const removed = await onlyRemoval(key, async () => {
          const record = await load({ id, sessionKey });
          if (record === undefined) return undefined;
          await bucket.removeObject(key);
          await bucket.removeObject(expiryKey(record));
          return record;
        });
        return removed !== undefined;
      },
      async sweep(nowMs) {
        const swept: StoredArtifact[] = [];
        for (let after: string | undefined; ;) {
          const page = await bucket.listKeys(expiries, after);
          // A foreign key reveals nothing about those after it.
          const due = page.keys.filter((mark) => (expiryIn(mark)?.expiresAt ?? 0) <= nowMs);
          swept.push(...(await inParallel(due, (mark) => sweepOne(mark, nowMs))));
          after = page.keys.at(-1);
          if (due.length < page.keys.length || !page.hasMore) return swept;
        }
      },
    },
    now,
  );
}

const HEAD_BYTES = 8 * 1024;
const READ_BYTES = 8 * 1024 * 1024;
const READS_AT_ONCE = 4;
const ARTIFACTS_AT_ONCE = 16;

interface Entry extends ArtifactRecord {
  readonly bodyStart: number;
  readonly head: ObjectPart;
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  job: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results = await pLimit(ARTIFACTS_AT_ONCE).map(items, job);
  return results.filter((result) => result !== undefined);
}

/** `undefined` when the object is no artifact, or not as long as its record says. */
function entryOf(head: ObjectPart | undefined): Entry | undefined {
  const lineEnd = head?.bytes.indexOf(LINE_FEED) ?? -1;
  if (head === undefined || lineEnd < 0) return undefined;
  const entry = decodeRecord(Buffer.from(head.bytes.subarray(0, lineEnd)).toString());
  const bodyStart = lineEnd + 1;
  const isWhole = head.sizeBytes === bodyStart + (entry?.record.sizeBytes ?? NaN);
  return entry && isWhole ? { ...entry, bodyStart, head } : undefined;
}

interface ArtifactName {
  readonly id: string;
  readonly sessionKey: string;
}

interface Expiry extends ArtifactName {
  readonly expiresAt: number;
}

const EXPIRY_PATTERN = /^(\d{16})\/([0-9a-f]{64})\/([^/]+)$/;
