import { randomBytes } from "node:crypto";
import pLimit, { type LimitFunction } from "p-limit";
import * as z from "zod";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { inSlices } from "../../util/slices.js";
import {
  type DriverEntry,
  LONGEST_PUT_MS,
  type StoreDriver,
} from "../../core/store/store-driver.js";
import { forEachFixedChunk } from "../../core/store/body/chunks.js";
import { allItems, type ItemFilter, type LangGraphBaseStore } from "./items.js";
import { decodeRecord } from "../../core/store/artifact-record.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Items asked for at once. */
const MAX_RUNNING = 8;

const turns = new WeakMap<LangGraphBaseStore, LimitFunction>();

/**
 * One job after the other, over all drivers of a store in this process: it has no compare-and-set, and of two that
 * move an expiry the later one is to stay.
 */
function turnOf(store: LangGraphBaseStore): LimitFunction {
  const turn = turns.get(store) ?? pLimit(1);
  turns.set(store, turn);
  return turn;
}

/** Artifacts as items of a LangGraph store, their bodies cut into items of `chunkBytes` each. */
export function langgraphDriver(store: LangGraphBaseStore, chunkBytes: number): StoreDriver<Entry> {
  // The store's interface has neither create-if-absent nor a delete that tells whether it did.
  const writing = new Set<string>();
  const removing = new Set<string>();
  const inTurn = turnOf(store);
  let sweptAllAt = -Infinity;

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
  async function removeEntry({ record, nonce, chunkBytes: size }: Entry): Promise<boolean> {
    const { id, scope } = record;
    if (removing.has(id)) return false;
    removing.add(id);
    try {
      if ((await find(id, scope))?.nonce !== nonce) return false;
      const name = { ...record, nonce, chunkBytes: size };
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

  async function sweepRecords(filter: ItemFilter, nowMs: number): Promise<NewArtifact[]> {
    const due: NewArtifact[] = [];
    await inSlices(await allItems(store, [RECORDS], filter), ({ value }) => {
      const record = entryOf(value)?.record;
      if (record !== undefined && record.expiresAt <= nowMs) due.push(record);
    });
    const swept: NewArtifact[] = [];
    for (const { id, scope } of due) {
      // It may have been given a later expiry.
      const entry = await find(id, scope);
      if (entry === undefined || entry.record.expiresAt > nowMs) continue;
      if (await removeEntry(entry)) swept.push(entry.record);
    }
    return swept;
  }

  /** Removes what is left of writers and deleters that were cut off. */
  async function sweepWrites(filter: ItemFilter, nowMs: number): Promise<void> {
    for (const { namespace, value } of await allItems(store, [WRITES], filter)) {
      const write = writeValue.safeParse(value).data;
      const scope = namespace[1];
      if (write === undefined || scope === undefined || write.expiresAt > nowMs) continue;
      const entry = await find(write.id, scope);
      const isAlive = entry?.nonce === write.nonce && entry.record.expiresAt > nowMs;
      // A put may go on after the life of what it stores: what tells of its chunks has to be there then.
      const isOver = write.isRemoval === true || write.expiresAt + LONGEST_PUT_MS <= nowMs;
      // The artifact was prolonged since: of an announcement that was forgotten nothing but itself goes.
      if (isAlive) await store.delete([WRITES, scope], writeKey(write));
      else await (isOver ? removeWrite : removeChunks)({ ...write, scope });
    }
  }

  /** Removes expiries without a record: their artifacts were removed by others while they were prolonged. */
  async function sweepExpiries(filter: ItemFilter, nowMs: number): Promise<void> {
    const due: { readonly id: string; readonly scope: string }[] = [];
    await inSlices(await allItems(store, [EXPIRIES], filter), ({ namespace, key, value }) => {
      const { expiresAt = Infinity } = expiryValue.safeParse(value).data ?? {};
      if (namespace[1] !== undefined && expiresAt <= nowMs)
        due.push({ id: key, scope: namespace[1] });
    });
    for (const { id, scope } of due) {
      if ((await find(id, scope)) === undefined) await store.delete([EXPIRIES, scope], id);
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
          const value = {
            record: text,
            nonce: name.nonce,
            chunkBytes,
            expiresAt: record.expiresAt,
          };
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
      await inSlices(
        later.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
        ({ key, value }) => {
          if (found.length === limit) return;
          const record = entryOf(value, expiryOf.get(key))?.record;
          if (record?.id === key && record.expiresAt > nowMs) found.push(record);
        },
      );
      return found;
    },
    replace({ nonce, record: { id, scope } }, expiresAt) {
      return inTurn(async () => {
        const known = await find(id, scope);
        if (known?.nonce !== nonce || known.record.expiresAt >= expiresAt) return false;
        await store.put([EXPIRIES, scope], id, { nonce, expiresAt }, false);
        // Another process may have removed the artifact meanwhile.
        if ((await find(id, scope))?.nonce === nonce) return true;
        await store.delete([EXPIRIES, scope], id);
        return false;
      });
    },
    async remove(id, scope) {
      const entry = await find(id, scope);
      return entry !== undefined && removeEntry(entry);
    },
    async sweep(nowMs) {
      const sinceMs = nowMs - sweptAllAt;
      // A clock that went back says nothing of what is due.
      const all = !(sinceMs >= 0 && sinceMs < DAY_MS);
      // Unless all is to be looked at, the store is asked for what is due: one that does not filter gives all.
      const filter = all ? {} : { filter: { expiresAt: { $lte: nowMs } } };
      const swept = await sweepRecords(filter, nowMs);
      await sweepWrites(filter, nowMs);
      await sweepExpiries(filter, nowMs);
      if (all) sweptAllAt = nowMs;
      return swept;
    },
  };
}

function taken(id: string): Error {
  return new Error(`The id ${id} is taken.`);
}

// Letters only: stores refuse dots, and some of them underscores, in a namespace.
const RECORDS: string = "offloadrecords";
const WRITES: string = "offloadwrites";
const BODIES: string = "offloadbodies";
/** Later expiries of records, which are written once: a refresh that is cut off brings no record back. */
const EXPIRIES: string = "offloadexpiries";

const bodySchema = z.object({
  /** Tells the chunks of one writer from those of another with the same id. */
  nonce: z.string().regex(/^[0-9a-f]{16}$/),
  chunkBytes: z.number().int().positive(),
});
const recordValue = bodySchema.extend({ record: z.string() });
const expiryValue = bodySchema.pick({ nonce: true }).extend({ expiresAt: z.number() });
const writeValue: z.ZodType<AnnouncedWrite> = bodySchema.extend({
  id: z.string(),
  sizeBytes: z.number().int().nonnegative(),
  expiresAt: z.number(),
  isRemoval: z.boolean().optional(),
});

interface Body {
  readonly nonce: string;
  readonly chunkBytes: number;
}

/** An artifact, and what its chunks are called. */
export interface Entry extends Body, DriverEntry {}

/** A body that is being written or removed. */
interface AnnouncedWrite extends Body {
  readonly id: string;
  readonly sizeBytes: number;
  readonly expiresAt: number;
  /** Whether the artifact is going, not coming. */
  readonly isRemoval?: boolean | undefined;
}

/** What chunks of a body are called. */
interface BodyName extends Body {
  readonly id: string;
  readonly scope: string;
  readonly sizeBytes: number;
}

/** The artifact of a record's value, with the later expiry that it was given, if any. */
function entryOf(value: unknown, expiry?: unknown): Entry | undefined {
  const parsed = recordValue.safeParse(value).data;
  if (parsed === undefined) return undefined;
  const { nonce, chunkBytes, record: text } = parsed;
  const record = decodeRecord(text);
  const later = expiryValue.safeParse(expiry).data;
  if (record === undefined || later?.nonce !== nonce || later.expiresAt <= record.expiresAt) {
    return record && { record, text, nonce, chunkBytes };
  }
  return { record: { ...record, expiresAt: later.expiresAt }, text, nonce, chunkBytes };
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
