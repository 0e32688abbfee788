import pLimit from "p-limit";
import * as z from "zod";
import { type ArtifactRecord, decodeRecord } from "../../core/store/artifact-record.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { piecesOf, readInParts } from "../../core/store/chunks.js";
import { driverStore, LONGEST_PUT_MS, takenError } from "../../core/store/store-driver.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { checkedOptions, having, optionsOf } from "../../util/option-rules.js";
import { pause } from "../../util/pause.js";
import { inSlices, mapConcurrent } from "../../util/slices.js";
import { boundedBy, sharedOptions, type SharedStoreOptions } from "../remote.js";

/** The part of LangGraph's `BaseStore` that is used; every `BaseStore` has it. */
export interface LangGraphBaseStore {
  get(
    namespace: string[],
    key: string,
  ): Promise<{ readonly value: Readonly<Record<string, unknown>> } | null>;
  /** `index: false` keeps bodies out of a store's embeddings. */
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
  ): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
  search(
    namespacePrefix: string[],
    options?: { limit?: number; offset?: number; filter?: Record<string, unknown> },
  ): Promise<readonly LangGraphItem[]>;
}

interface LangGraphItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Of a body, in one item of the store; items are a third larger. */
const CHUNK_BYTES = 256 * 1024;
const baseStore = having(
  ["get", "put", "delete", "search"],
  "a LangGraph store, such as new InMemoryStore(), in front of the options",
);
const schema = optionsOf(sharedOptions);

/**
 * Keeps artifacts in a LangGraph store, such as the one that an agent already has. Bodies are
 * written as base64 in chunks, then the record, so that an artifact is complete or absent. Each
 * session has its own namespace. The record holds the expiry, so the store needs no expiry of its
 * own. Pass the store itself and not `runtime.store`, which passes an item on without its settings.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function langgraphStore(
  store: LangGraphBaseStore,
  options: SharedStoreOptions = {},
): ArtifactStore {
  checkedOptions("langgraphStore", baseStore, store);
  const checked = checkedOptions<SharedStoreOptions>("langgraphStore", schema, options);
  const { timeoutMs = 30_000, now } = checked;
  const bounded = boundedStore(store, timeoutMs);
  const inTurn = pLimit(1);

  async function valueOf(id: string, sessionKey: string): Promise<RecordValue | undefined> {
    return recordValue.safeParse((await bounded.get([RECORDS, sessionKey], id))?.value).data;
  }

  function putRecord(id: string, sessionKey: string, value: RecordValue): Promise<void> {
    return bounded.put([RECORDS, sessionKey], id, value, false);
  }

  async function removeAll(id: string, sessionKey: string, sizeBytes: number) {
    const length = Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
    const chunks = Array.from({ length }, (_, index) => chunkKey(id, index));
    await mapConcurrent(chunks, AT_ONCE, (key) => bounded.delete([BODIES, sessionKey], key));
    await bounded.delete([RECORDS, sessionKey], id);
  }

  async function remove(
    id: string,
    sessionKey: string,
    isToGo: (value: RecordValue) => boolean,
  ): Promise<RecordValue | undefined> {
    const value = await inTurn(async () => {
      const found = await valueOf(id, sessionKey);
      if (found === undefined || !isToGo(found)) return undefined;
      // Readers must not find a record whose chunks are being deleted.
      await putRecord(id, sessionKey, { ...found, state: "going" });
      return found;
    });
    if (value !== undefined) await removeAll(id, sessionKey, value.sizeBytes);
    return value;
  }

  return driverStore(
    "langgraph",
    {
      find: async (id, sessionKey) => entryOf(await valueOf(id, sessionKey)),
      async write({ record, text }, body) {
        const { id, sessionKey, sizeBytes, expiresAt } = record;
        const place = { record: text, sizeBytes, expiresAt };
        let index = 0;
        async function putChunk(chunk: Uint8Array) {
          const data = Buffer.from(chunk).toString("base64");
          await bounded.put([BODIES, sessionKey], chunkKey(id, index), { data }, false);
          index += 1;
        }
        const before = await valueOf(id, sessionKey);
        if (before?.state === "stored") throw takenError(id);
        await putRecord(id, sessionKey, { ...place, state: "coming" });
        try {
          for await (const chunk of piecesOf(body, sizeBytes, CHUNK_BYTES)) await putChunk(chunk);
          if (sizeBytes === 0) await putChunk(new Uint8Array());
          await putRecord(id, sessionKey, { ...place, state: "stored" });
        } catch (error) {
          // If the store is down, a later sweep removes the leftovers.
          await removeAll(id, sessionKey, sizeBytes).catch(() => undefined);
          throw error;
        }
      },
      readBytes: ({ record }, range) =>
        readInParts(range, { partBytes: CHUNK_BYTES, atOnce: AT_ONCE }, async ({ start, end }) => {
          const index = Math.floor(start / CHUNK_BYTES);
          const item = await bounded.get([BODIES, record.sessionKey], chunkKey(record.id, index));
          const data = item?.value["data"];
          if (typeof data !== "string") return undefined;
          return Buffer.from(data, "base64").subarray(
            start - index * CHUNK_BYTES,
            end - index * CHUNK_BYTES,
          );
        }),
      async page(sessionKey, after, limit) {
        const items = (await allItems(bounded, [RECORDS, sessionKey])).filter(
          ({ key }) => key > after,
        );
        const asked = items.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
        const records: StoredArtifact[] = [];
        await inSlices(asked, ({ key, value }) => {
          const record = entryOf(value)?.record;
          if (record?.id === key) records.push(record);
        });
        return { records, next: asked.length < items.length ? asked.at(-1)?.key : undefined };
      },
      replace: ({ record: { id, sessionKey } }, expiresAt, text) =>
        inTurn(async () => {
          const value = await valueOf(id, sessionKey);
          if (value?.state !== "stored" || value.expiresAt >= expiresAt) return false;
          await putRecord(id, sessionKey, { ...value, record: text, expiresAt });
          // Another process may have removed the artifact meanwhile.
          if ((await bounded.get([BODIES, sessionKey], chunkKey(id, 0))) !== null) return true;
          await bounded.delete([RECORDS, sessionKey], id);
          return false;
        }),
      remove: async (id, sessionKey) =>
        (await remove(id, sessionKey, ({ state }) => state === "stored")) !== undefined,
      async sweep(nowMs) {
        const isToGo = ({ state, expiresAt }: RecordValue) =>
          expiresAt + (state === "coming" ? LONGEST_PUT_MS : 0) <= nowMs;
        const swept: StoredArtifact[] = [];
        const filter = { filter: { expiresAt: { $lte: nowMs } } };
        // A store without filters returns everything.
        for (const { namespace, key, value } of await allItems(bounded, [RECORDS], filter)) {
          const due = recordValue.safeParse(value).data;
          const [, sessionKey] = namespace;
          if (sessionKey === undefined || due === undefined || !isToGo(due)) continue;
          const record = entryOf(await remove(key, sessionKey, isToGo))?.record;
          if (record !== undefined) swept.push(record);
          await pause();
        }
        return swept;
      },
    },
    now,
  );
}

// Letters only: stores refuse dots, and some refuse underscores, in a namespace.
const RECORDS = "offloadrecords";
const BODIES = "offloadbodies";
const AT_ONCE = 8;

/** Written before the first chunk and removed after the last, so that a sweep finishes what was interrupted. */
const recordValue = z.object({
  record: z.string(),
  state: z.enum(["coming", "stored", "going"]),
  sizeBytes: z.number().int().nonnegative(),
  expiresAt: z.number(),
});

type RecordValue = z.infer<typeof recordValue>;

function entryOf(value: unknown): ArtifactRecord | undefined {
  const { data } = recordValue.safeParse(value);
  return data?.state === "stored" ? decodeRecord(data.record) : undefined;
}

function chunkKey(id: string, index: number): string {
  return `${id}-${index}`;
}

function boundedStore(store: LangGraphBaseStore, timeoutMs: number): LangGraphBaseStore {
  const bounded = boundedBy("The LangGraph store", timeoutMs);
  return {
    get: (...args) => bounded("get", () => store.get(...args)),
    put: (...args) => bounded("put", () => store.put(...args)),
    delete: (...args) => bounded("delete", () => store.delete(...args)),
    search: (...args) => bounded("search", () => store.search(...args)),
  };
}

const PAGE_SIZE = 2000;

/**
 * All items at or below a namespace, unordered. A store's search may match namespaces by text
 * prefix; those are left out. What others delete meanwhile may hide as many items from this call.
 */
async function allItems(
  store: LangGraphBaseStore,
  namespace: readonly string[],
  filter: { readonly filter?: Record<string, unknown> } = {},
): Promise<readonly LangGraphItem[]> {
  // Items added meanwhile shift others to a later page, where they appear again.
  const items = new Map<string, LangGraphItem>();
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await store.search([...namespace], { limit: PAGE_SIZE, offset, ...filter });
    for (const item of page) items.set(JSON.stringify([item.namespace, item.key]), item);
    if (page.length < PAGE_SIZE) break;
    // An in-memory store answers without yielding to the event loop.
    await pause();
  }
  return [...items.values()].filter((item) =>
    namespace.every((label, depth) => item.namespace[depth] === label),
  );
}
