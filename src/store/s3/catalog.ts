import { decodeRecords } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import { keepLatest } from "../../util/keep-latest.js";
import type { S3Bucket } from "./bucket.js";
import { catalogKeys } from "./catalog-keys.js";
import { s3Keys } from "./keys.js";
import { listKeys } from "./list.js";
import { readPart } from "./read.js";
import { putObject, removeObject } from "./write.js";

/** Records in one catalog. */
const RECORDS = 100;
const HOUR_MS = 3_600_000;
/** Longest catalog, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Catalogs to come whose records are kept in mind. */
const MAX_NOTED = 64;
/** Longest record that is kept in mind, in bytes; others are read where they stand. */
const MAX_RECORD_BYTES = 16 * 1024;

/**
 * Copies of records, 100 of a session in one object: a list reads these and not each artifact. A copy that is missing is
 * read where it stands, and one of an artifact that is gone is not looked at: what is there, the keys of the
 * artifacts say; nor is one that has expired, for an artifact may have been stored anew under its id. A record never
 * changes. A copy outlives its artifact by an hour at most: those of one catalog expire in the same hour, and one that
 * is deleted takes the catalog with it. Others delete what this process has noted: a catalog is written of what is still
 * there, and goes again when it is not there afterwards.
 */
export interface Catalogs {
  /** Notes what was stored; each hundredth of a session that expires in one hour writes a catalog. Never throws. */
  note(record: NewArtifact, text: string): Promise<void>;
  /** The records of a session that catalogs have, of those with an id from `first` to `last`. Never throws. */
  find(scope: string, first: string, last: string): Promise<ReadonlyMap<string, NewArtifact>>;
  /**
   * Removes the catalogs that may have a record which was deleted. Before the artifact goes, for of one that is gone
   * nobody would know that there are any, and after it, for until then others may have written one.
   */
  forget(record: NewArtifact): Promise<void>;
  /** Removes the catalogs whose artifacts have all expired. */
  sweep(nowMs: number): Promise<void>;
}

/** Records of a catalog to come, by their ids. */
type Noted = Map<string, { readonly text: string; readonly expiresAt: number }>;

export function s3Catalogs(bucket: S3Bucket, prefix: string): Catalogs {
  const keys = catalogKeys(prefix);
  const artifacts = s3Keys(prefix);
  const noted = new Map<string, Noted>();

  /** Of some artifacts, sorted by their ids, those that are there. */
  async function present(scope: string, ids: readonly string[]): Promise<string[]> {
    const keyOf = (id = ""): string => artifacts.artifact({ id, scope });
    const there = new Set<string>();
    // Keys begin after this one, which sorts before the first.
    const range = {
      prefix: artifacts.sessionPrefix(scope),
      startAfter: keyOf(ids[0]).slice(0, -1),
    };
    for await (const page of listKeys(bucket, range)) {
      for (const key of page) there.add(key);
      if ((page.at(-1) ?? "") >= keyOf(ids.at(-1))) break;
    }
    return ids.filter((id) => there.has(keyOf(id)));
  }

  async function write(scope: string, records: Noted): Promise<void> {
    const ids = await present(scope, [...records.keys()].toSorted());
    const entries = ids.flatMap((id) => records.get(id) ?? []);
    if (entries.length === 0) return;
    const expiresAt = Math.max(...entries.map((entry) => entry.expiresAt));
    const name = { scope, first: ids[0] ?? "", last: ids.at(-1) ?? "", expiresAt };
    // The marker first, so that a sweep finds it.
    await putObject(bucket, keys.expiry(name), new Uint8Array());
    const body = Buffer.from(entries.map(({ text }) => `${text}\n`).join(""));
    await putObject(bucket, keys.catalog(name), body);
    const left = await present(scope, ids).catch(() => []);
    if (left.length < ids.length) await removeObject(bucket, keys.catalog(name));
  }

  /** The keys of a session's catalogs that may have an id from `first` to `last`. */
  async function covering(scope: string, first: string, last: string): Promise<string[]> {
    const found: string[] = [];
    for await (const page of listKeys(bucket, { prefix: keys.sessionPrefix(scope) })) {
      for (const key of page) {
        const name = keys.nameOf(key);
        if (name !== undefined && name.first <= last && name.last >= first) found.push(key);
      }
    }
    return found;
  }

  return {
    async note({ id, scope, expiresAt }, text) {
      if (text.length > MAX_RECORD_BYTES) return;
      const place = placeOf({ scope, expiresAt });
      const records: Noted = noted.get(place) ?? new Map();
      records.set(id, { text, expiresAt });
      keepLatest(noted, place, records, MAX_NOTED);
      if (records.size < RECORDS) return;
      noted.delete(place);
      await write(scope, records).catch(() => undefined);
    },
    async find(scope, first, last) {
      const found = new Map<string, NewArtifact>();
      try {
        const parts = await Promise.all(
          (await covering(scope, first, last)).map((key) =>
            readPart(bucket, key, { start: 0, end: MAX_BYTES }),
          ),
        );
        for (const part of parts) {
          const lines = Buffer.from(part?.bytes ?? [])
            .toString()
            .split("\n");
          for (const record of await decodeRecords(lines)) {
            if (record.scope === scope) found.set(record.id, record);
          }
        }
      } catch {
        // What is not found here is read where it stands.
      }
      return found;
    },
    async forget({ id, scope, expiresAt }) {
      noted.get(placeOf({ scope, expiresAt }))?.delete(id);
      for (const key of await covering(scope, id, id)) await removeObject(bucket, key);
    },
    async sweep(nowMs) {
      for await (const page of listKeys(bucket, { prefix: keys.expiryPrefix })) {
        const names = page.flatMap((key) => keys.expiryOf(key) ?? []);
        const due = names.filter(({ expiresAt }) => expiresAt <= nowMs);
        for (const name of due) {
          await removeObject(bucket, keys.catalog(name));
          await removeObject(bucket, name.key);
        }
        if (due.length < names.length) return;
      }
    },
  };
}

/** Of which session's catalog, and of which hour, a record is. */
function placeOf({ scope, expiresAt }: Pick<NewArtifact, "scope" | "expiresAt">): string {
  return `${scope}/${Math.floor(expiresAt / HOUR_MS)}`;
}
