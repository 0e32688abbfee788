import { inSlices } from "../../util/slices.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { LONGEST_PUT_MS } from "../../core/store/longest-put.js";
import { allItems, type LangGraphBaseStore, type LangGraphItem } from "./items.js";
import {
  type BodyName,
  type Entry,
  entryOf,
  EXPIRIES,
  laterExpiryOf,
  RECORDS,
  writeKey,
  writeOf,
  WRITES,
} from "./values.js";

/** What a sweep asks of the driver. */
interface Removals {
  readonly find: (id: string, scope: string) => Promise<Entry | undefined>;
  readonly removeEntry: (entry: Entry) => Promise<boolean>;
  readonly removeChunks: (name: BodyName) => Promise<void>;
  readonly removeWrite: (name: BodyName) => Promise<void>;
}

/**
 * Removes what has expired, and what is left of writers and deleters that were cut off. Unless `all` is to be looked
 * at, the store is asked for what is due: a version before wrote no time that a store can filter by.
 */
export async function sweepItems(
  store: LangGraphBaseStore,
  removals: Removals,
  { nowMs, all }: { readonly nowMs: number; readonly all: boolean },
): Promise<NewArtifact[]> {
  const filter = all ? {} : { filter: { expiresAt: { $lte: nowMs } } };
  const due: NewArtifact[] = [];
  await inSlices(await allItems(store, [RECORDS], filter), ({ value }) => {
    const record = entryOf(value)?.record;
    if (record !== undefined && record.expiresAt <= nowMs) due.push(record);
  });
  const swept: NewArtifact[] = [];
  for (const { id, scope } of due) {
    // It may have been given a later expiry.
    const entry = await removals.find(id, scope);
    if (entry === undefined || entry.record.expiresAt > nowMs) continue;
    if (await removals.removeEntry(entry)) swept.push(entry.record);
  }
  await sweepWrites(await allItems(store, [WRITES], filter), store, removals, nowMs);
  await sweepExpiries(await allItems(store, [EXPIRIES], filter), store, removals, nowMs);
  return swept;
}

async function sweepWrites(
  announced: readonly LangGraphItem[],
  store: LangGraphBaseStore,
  { find, removeChunks, removeWrite }: Removals,
  nowMs: number,
): Promise<void> {
  for (const { namespace, value } of announced) {
    const write = writeOf(value);
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
async function sweepExpiries(
  prolonged: readonly LangGraphItem[],
  store: LangGraphBaseStore,
  { find }: Removals,
  nowMs: number,
): Promise<void> {
  const due: { readonly id: string; readonly scope: string }[] = [];
  await inSlices(prolonged, ({ namespace, key, value }) => {
    const scope = namespace[1];
    if (scope !== undefined && (laterExpiryOf(value) ?? Infinity) <= nowMs) {
      due.push({ id: key, scope });
    }
  });
  for (const { id, scope } of due) {
    if ((await find(id, scope)) === undefined) await store.delete([EXPIRIES, scope], id);
  }
}
