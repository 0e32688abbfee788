import { inSlices } from "../../util/slices.js";
import type { KeptRecord } from "../artifact-record.js";
import { allItems, type LangGraphBaseStore } from "./items.js";
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
  find(id: string, scope: string): Promise<Entry | undefined>;
  removeEntry(entry: Entry): Promise<boolean>;
  removeWrite(name: BodyName): Promise<void>;
}

/** Removes what has expired, and what is left of writers and deleters that were cut off. */
export async function sweepItems(
  store: LangGraphBaseStore,
  removals: Removals,
  nowMs: number,
): Promise<KeptRecord[]> {
  const due: KeptRecord[] = [];
  await inSlices(await allItems(store, [RECORDS]), ({ value }) => {
    const record = entryOf(value)?.record;
    if (record !== undefined && record.expiresAt <= nowMs) due.push(record);
  });
  const swept: KeptRecord[] = [];
  for (const { id, scope } of due) {
    // It may have been given a later expiry.
    const entry = await removals.find(id, scope);
    if (entry === undefined || entry.record.expiresAt > nowMs) continue;
    if (await removals.removeEntry(entry)) swept.push(entry.record);
  }
  await sweepWrites(store, removals, nowMs);
  await sweepExpiries(store, removals, nowMs);
  return swept;
}

async function sweepWrites(
  store: LangGraphBaseStore,
  { find, removeWrite }: Removals,
  nowMs: number,
): Promise<void> {
  for (const { namespace, value } of await allItems(store, [WRITES])) {
    const write = writeOf(value);
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
async function sweepExpiries(
  store: LangGraphBaseStore,
  { find }: Removals,
  nowMs: number,
): Promise<void> {
  const due: { readonly id: string; readonly scope: string }[] = [];
  await inSlices(await allItems(store, [EXPIRIES]), ({ namespace, key, value }) => {
    const scope = namespace[1];
    if (scope !== undefined && (laterExpiryOf(value) ?? Infinity) <= nowMs) {
      due.push({ id: key, scope });
    }
  });
  for (const { id, scope } of due) {
    if ((await find(id, scope)) === undefined) await store.delete([EXPIRIES, scope], id);
  }
}
