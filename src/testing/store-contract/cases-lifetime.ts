import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import {
  CONTRACT_SESSION,
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  type ContractCases,
} from "./contract-artifact.js";

const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
const LATER_MS = EXPIRY_MS + CONTRACT_TTL_MS;
const BODY = Uint8Array.of(1, 2, 3, 4);

function putOne(store: ArtifactStore, createdAt = CONTRACT_START_MS): Promise<StoredArtifact> {
  return store.put(contractArtifact(BODY.length, { createdAt }), [BODY]);
}

async function putSeveral(store: ArtifactStore, count: number): Promise<StoredArtifact[]> {
  const stored: StoredArtifact[] = [];
  for (let index = 0; index < count; index += 1) {
    stored.push(await putOne(store, CONTRACT_START_MS + index));
  }
  return stored;
}

async function pagesOf(store: ArtifactStore, pageSize: number): Promise<StoredArtifact[][]> {
  const pages: StoredArtifact[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(CONTRACT_SESSION, { pageSize, cursor });
    pages.push([...page.artifacts]);
    cursor = page.cursor;
  } while (cursor !== undefined && pages.length < 20);
  return pages;
}

export const lifetimeCases: ContractCases = {
  "has an artifact until the last millisecond before its expiry, and hides it from then on, before any sweep":
    async ({ store, same, ends, stat, clock, reads, lists }) => {
      const stored = await putOne(store);
      clock.nowMs = EXPIRY_MS - 1;
      same(await stat(stored), stored);
      await lists(stored);
      same(await store.sweep(clock.nowMs), []);
      await reads(stored, BODY);
      clock.nowMs = EXPIRY_MS;
      same(await stat(stored), undefined);
      await ends(store.read(stored), "ARTIFACT_EXPIRED");
      await lists();
    },
  "moves an expiry to a later time where it can, and then keeps the artifact until that time, also for who knows the earlier one":
    async ({ store, same, ends, stat, clock, reads, lists }) => {
      if (store.refresh === undefined) return;
      const stored = await putOne(store);
      same(await store.refresh(stored.id, stored.sessionKey, LATER_MS), true);
      clock.nowMs = LATER_MS - 1;
      const prolonged = { ...stored, expiresAt: LATER_MS };
      same(await stat(stored), prolonged);
      await lists(prolonged);
      same(await store.sweep(clock.nowMs), []);
      for (const known of [stored, prolonged]) {
        await reads(known, BODY.slice(1, 3), { start: 1, end: 3 });
      }
      clock.nowMs = LATER_MS;
      await ends(store.read(stored), "ARTIFACT_EXPIRED");
      same(await store.sweep(clock.nowMs), [prolonged]);
    },
  "moves no expiry to an earlier time, of another session, or of what has expired or is not there":
    async ({ store, same, stat, clock }) => {
      if (store.refresh === undefined) return;
      const stored = await putOne(store);
      const { id, sessionKey } = stored;
      same(await store.refresh(id, sessionKey, EXPIRY_MS), false);
      same(await store.refresh(id, "0".repeat(64), LATER_MS), false);
      same(await store.refresh(contractArtifact(1).id, sessionKey, LATER_MS), false);
      same(await stat(stored), stored);
      clock.nowMs = EXPIRY_MS;
      same(await store.refresh(id, sessionKey, LATER_MS), false);
      same(await stat(stored), undefined);
    },
  "keeps the latest of several expiries that it is asked for at once, and nothing that is deleted meanwhile":
    async ({ store, same, stat }) => {
      const refresh = store.refresh?.bind(store);
      if (refresh === undefined) return;
      for (const [index, stored] of (await putSeveral(store, 20)).entries()) {
        const { id, sessionKey } = stored;
        const asked = [3000, 1000, 2000].map((later) => EXPIRY_MS + later);
        const taking = Promise.all(asked.map((at) => refresh(id, sessionKey, at)));
        const isKept = index % 2 === 0;
        if (!isKept) same(await store.delete(id, sessionKey), true);
        const taken = await taking;
        const latest = Math.max(...asked.filter((_, place) => taken[place]));
        same((await stat(stored))?.expiresAt, isKept ? latest : undefined);
      }
      same((await store.list(CONTRACT_SESSION)).artifacts.length, 10);
    },
  "sweeps what has expired, once and nothing else": async ({ store, same, clock, lists }) => {
    const [first, second, ...rest] = await putSeveral(store, 3);
    clock.nowMs = EXPIRY_MS + 1;
    const sweeps = await Promise.all([1, 2, 3].map(() => store.sweep(clock.nowMs)));
    const ids = sweeps.flat().map(({ id }) => id);
    same(ids.toSorted(), [first?.id, second?.id]);
    same(await store.sweep(clock.nowMs), []);
    await lists(...rest);
  },
  "deletes an artifact once; deleting twice is harmless": async (context) => {
    const { store, same, ends, stat, lists } = context;
    const first = await putOne(store);
    const second = await putOne(store);
    same(await store.delete(first.id, first.sessionKey), true);
    same(await store.delete(first.id, first.sessionKey), false);
    same(await stat(first), undefined);
    await ends(store.read(first), "ARTIFACT_NOT_FOUND");
    await lists(second);
  },
  "lists a session page by page, oldest first, none twice and none left out": async (context) => {
    const { store, same } = context;
    const stored = await putSeveral(store, 7);
    for (const pageSize of [1, 3, 6, 7, 8]) {
      same((await pagesOf(store, pageSize)).flat(), stored);
    }
  },
};
