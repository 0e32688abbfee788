import { randomBytes } from "node:crypto";
import * as z from "zod";
import pLimit from "p-limit";
import { decodeRecord } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import type { StoreDriver } from "../remote-store.js";
import { forEachFixedChunk } from "../body/fixed-chunks.js";
import { allItems, type LangGraphBaseStore } from "./items.js";

/** Items asked for at once. */
const MAX_RUNNING = 8;

// Letters only: stores refuse dots, and some of them underscores, in a namespace.
const RECORDS = "offloadrecords";
const WRITES = "offloadwrites";
const BODIES = "offloadbodies";
/** Later expiries of records, which are written once: a refresh that is cut off brings no record back. */
const EXPIRIES = "offloadexpiries";

const bodySchema = z.object({
  /** Tells the chunks of one writer from those of another with the same id. */
  nonce: z.string().regex(/^[0-9a-f]{16}$/),
  chunkBytes: z.number().int().positive(),
});
const recordValue = bodySchema.extend({ record: z.string() });
const writeValue = bodySchema.extend({
  id: z.string(),
  sizeBytes: z.number().int().nonnegative(),
  expiresAt: z.number(),
  /** Whether the artifact is going, not coming. */
  isRemoval: z.boolean().optional(),
});

const expiryValue = bodySchema.pick({ nonce: true }).extend({ expiresAt: z.number() });

interface Body {
  readonly nonce: string;
  readonly chunkBytes: number;
}

interface Entry extends Body {
  readonly record: NewArtifact;
}

/** What chunks of a body are called. */
interface BodyName extends Body {
  readonly id: string;
  readonly scope: string;
  readonly sizeBytes: number;
}

/** Artifacts as items of a LangGraph store, their bodies cut into items of `chunkBytes` each. */
export function langgraphDriver(store: LangGraphBaseStore, chunkBytes: number): StoreDriver<Entry> {
  // The store's interface has neither create-if-absent nor a delete that tells whether it did.
  const writing = new Set<string>();
  const removing = new Set<string>();

  async function find(id: string, scope: string): Promise<Entry | undefined> {
    const [record, expiry] = await Promise.all([
      store.get([RECORDS, scope], id),
      store.get([EXPIRIES, scope], id),
    ]);
    return entryOf(record?.value, expiry?.value);
  }

  async function removeChunks(name: BodyName): Promise<void> {
    const limit = pLimit(MAX_RUNNING);
    await Promise.all(
      Array.from({ length: chunkCount(name) }, (_, index) =>
        limit(() => store.delete([BODIES, name.scope], chunkKey(name, index))),
      ),
    );
  }

  /** The record goes first: from then on nobody is sent to chunks that are going. */
  async function removeEntry({ record, ...chunks }: Entry): Promise<boolean> {
    const { id, scope } = record;
    if (removing.has(id)) return false;
    removing.add(id);
    try {
      if ((await find(id, scope))?.nonce !== chunks.nonce) return false;
      const name = { ...record, ...chunks };
      // Kept until the chunks are gone, so that a sweep can go on where this stopped.
      await announce(name, true);
      await store.delete([RECORDS, scope], id);
      await store.delete([EXPIRIES, scope], id);
      await removeWrite(name);
      return true;
    } finally {
      removing.delete(id);
    }
  }

  async function removeWrite(name: BodyName): Promise<void> {
    await removeChunks(name);
    await store.delete([WRITES, name.scope], writeKey(name));
  }

  async function announce(
    name: BodyName & { readonly expiresAt: number },
    isRemoval: boolean,
  ): Promise<void> {
    const { id, scope, nonce, sizeBytes, expiresAt } = name;
    const value = { id, nonce, chunkBytes: name.chunkBytes, sizeBytes, expiresAt, isRemoval };
    await store.put([WRITES, scope], writeKey(name), value, false);
  }

  /** Removes what writers and deleters that were cut off have left. */
  async function sweepWrites(nowMs: number): Promise<void> {
    for (const { namespace, value } of await allItems(store, [WRITES])) {
      const write = writeValue.safeParse(value).data;
      const scope = namespace[1];
      if (write === undefined || scope === undefined || write.expiresAt > nowMs) continue;
      const entry = await find(write.id, scope);
      const isAlive = entry?.nonce === write.nonce && entry.record.expiresAt > nowMs;
      // The artifact was prolonged since: of an announcement that was forgotten nothing but itself goes.
      if (isAlive) await store.delete([WRITES, scope], writeKey(write));
      else await removeWrite({ ...write, scope });
    }
  }

  /** Removes expiries without a record: their artifacts were removed by others while they were prolonged. */
  async function sweepExpiries(nowMs: number): Promise<void> {
    for (const { namespace, key, value } of await allItems(store, [EXPIRIES])) {
      const expiry = expiryValue.safeParse(value).data;
      const scope = namespace[1];
      if (expiry === undefined || scope === undefined || expiry.expiresAt > nowMs) continue;
      if ((await find(key, scope)) === undefined) await store.delete([EXPIRIES, scope], key);
    }
  }

  return {
    find,
    async write({ record, text }, chunks) {
      const { id, scope, sizeBytes } = record;
      if (writing.has(id)) throw taken(id);
      writing.add(id);
      try {
        if ((await store.get([RECORDS, scope], id)) !== null) throw taken(id);
        const name = { ...record, chunkBytes, nonce: randomBytes(8).toString("hex") };
        await announce(name, false);
        try {
          const putChunk = (chunk: Uint8Array, index: number): Promise<void> => {
            const data = Buffer.from(chunk).toString("base64");
            return store.put([BODIES, scope], chunkKey(name, index), { data }, false);
          };
          await forEachFixedChunk({ body: chunks, sizeBytes, chunkBytes }, putChunk);
          if (sizeBytes === 0) await putChunk(new Uint8Array(), 0);
          const value = { record: text, nonce: name.nonce, chunkBytes };
          await store.put([RECORDS, scope], id, value, false);
        } catch (error) {
          // A store that is down keeps the leftovers until a sweep finds what was announced.
          await removeWrite(name).catch(() => undefined);
          throw error;
        }
        // The artifact stands; without this delete, a sweep after its expiry finds nothing left to do.
        await store.delete([WRITES, scope], writeKey(name)).catch(() => undefined);
      } finally {
        writing.delete(id);
      }
    },
    async readBytes({ record, ...chunks }, { start, end }) {
      const bytes = new Uint8Array(end - start);
      const limit = pLimit(MAX_RUNNING);
      const first = Math.floor(start / chunks.chunkBytes);
      const last = Math.floor((end - 1) / chunks.chunkBytes);
      const read = async (index: number): Promise<boolean> => {
        const key = chunkKey({ id: record.id, nonce: chunks.nonce }, index);
        const data: unknown = (await store.get([BODIES, record.scope], key))?.value["data"];
        if (typeof data !== "string") return false;
        const from = index * chunks.chunkBytes;
        const chunk = Buffer.from(data, "base64");
        if (chunk.length !== Math.min(chunks.chunkBytes, record.sizeBytes - from)) return false;
        const part = chunk.subarray(Math.max(0, start - from), Math.max(0, end - from));
        bytes.set(part, Math.max(0, from - start));
        return true;
      };
      const found = await Promise.all(
        Array.from({ length: last - first + 1 }, (_, index) => limit(() => read(first + index))),
      );
      return found.includes(false) ? undefined : bytes;
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const items = await allItems(store, [RECORDS, scope]);
      const expiries = await allItems(store, [EXPIRIES, scope]);
      const expiryOf = new Map(expiries.map(({ key, value }) => [key, value]));
      const later = items.filter(({ key }) => key > afterId);
      const found: NewArtifact[] = [];
      for (const { key, value } of later.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        if (found.length === limit) break;
        const record = entryOf(value, expiryOf.get(key))?.record;
        if (record?.id === key && record.expiresAt > nowMs) found.push(record);
      }
      return found;
    },
    async replace({ nonce }, { id, scope, expiresAt }) {
      await store.put([EXPIRIES, scope], id, { nonce, expiresAt }, false);
      // Another process may have removed the artifact meanwhile.
      if ((await find(id, scope))?.nonce === nonce) return true;
      await store.delete([EXPIRIES, scope], id);
      return false;
    },
    async remove(id, scope) {
      const entry = await find(id, scope);
      return entry !== undefined && removeEntry(entry);
    },
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      for (const { value } of await allItems(store, [RECORDS])) {
        const due = entryOf(value)?.record;
        if (due === undefined || due.expiresAt > nowMs) continue;
        const entry = await find(due.id, due.scope);
        if (entry === undefined || entry.record.expiresAt > nowMs) continue;
        if (await removeEntry(entry)) swept.push(entry.record);
      }
      await sweepWrites(nowMs);
      await sweepExpiries(nowMs);
      return swept;
    },
  };
}

/** An empty body has one chunk too, whose absence tells that it is going. */
function chunkCount({ sizeBytes, chunkBytes }: BodyName): number {
  return Math.max(1, Math.ceil(sizeBytes / chunkBytes));
}

function chunkKey(
  { id, nonce }: { readonly id: string; readonly nonce: string },
  index: number,
): string {
  return `${id}-${nonce}-${index}`;
}

function writeKey({ id, nonce }: { readonly id: string; readonly nonce: string }): string {
  return `${id}-${nonce}`;
}

function taken(id: string): Error {
  return new Error(`The id ${id} is taken.`);
}

/** The artifact of a record's value, with the later expiry that it was given, if any. */
function entryOf(value: unknown, expiry?: unknown): Entry | undefined {
  const parsed = recordValue.safeParse(value).data;
  if (parsed === undefined) return undefined;
  const { nonce, chunkBytes } = parsed;
  const record = decodeRecord(parsed.record);
  const later = expiryValue.safeParse(expiry).data;
  if (record === undefined || later?.nonce !== nonce || later.expiresAt <= record.expiresAt) {
    return record && { record, nonce, chunkBytes };
  }
  return { record: { ...record, expiresAt: later.expiresAt }, nonce, chunkBytes };
}
