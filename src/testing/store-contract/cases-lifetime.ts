import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  rejectionCode,
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

async function listIn(
  store: ArtifactStore,
  sessionKey: string,
  pageSize: number,
): Promise<{ listed: StoredArtifact[]; pages: number }> {
  const listed: StoredArtifact[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list(sessionKey, { pageSize, cursor });
    listed.push(...page.artifacts);
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== undefined && pages < 20);
  return { listed, pages };
}

function changing(
  change: (fields: Record<string, unknown>) => Record<string, unknown>,
): (text: string) => string {
  return (text) => {
    const fields: Record<string, unknown> = JSON.parse(text);
    return JSON.stringify(change(fields));
  };
}

export const lifetimeCases: ContractCases = {
  "has an artifact until the last millisecond before its expiry, and hides it from then on, before any sweep":
    async ({ store, expect, clock }) => {
      const stored = await putOne(store);
      clock.nowMs = EXPIRY_MS - 1;
      expect(await store.stat(stored.id, stored.sessionKey)).toEqual(stored);
      expect((await store.list(stored.sessionKey)).artifacts).toEqual([stored]);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      expect(await store.read(stored)).toEqual(BODY);
      clock.nowMs = EXPIRY_MS;
      expect(await store.stat(stored.id, stored.sessionKey)).toBe(undefined);
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_EXPIRED");
      expect((await store.list(stored.sessionKey)).artifacts).toEqual([]);
      const code = await rejectionCode(store.read({ ...stored, expiresAt: EXPIRY_MS + 1 }));
      expect(["ARTIFACT_EXPIRED", "ARTIFACT_NOT_FOUND"].includes(code)).toBe(true);
    },
  "moves an expiry to a later time where it can, and then keeps the artifact until that time, also for who knows the earlier one":
    async ({ store, expect, clock }) => {
      if (store.refresh === undefined) return;
      const stored = await putOne(store);
      expect(await store.refresh(stored.id, stored.sessionKey, LATER_MS)).toBe(true);
      clock.nowMs = LATER_MS - 1;
      const prolonged = { ...stored, expiresAt: LATER_MS };
      expect(await store.stat(stored.id, stored.sessionKey)).toEqual(prolonged);
      expect((await store.list(stored.sessionKey)).artifacts).toEqual([prolonged]);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      for (const known of [stored, prolonged]) {
        expect(await store.read(known, { start: 1, end: 3 })).toEqual(BODY.slice(1, 3));
      }
      clock.nowMs = LATER_MS;
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_EXPIRED");
      expect(await store.sweep(clock.nowMs)).toEqual([prolonged]);
    },
  "moves no expiry to an earlier time, of another session, or of what has expired or is not there":
    async ({ store, expect, clock }) => {
      if (store.refresh === undefined) return;
      const stored = await putOne(store);
      const { id, sessionKey } = stored;
      expect(await store.refresh(id, sessionKey, EXPIRY_MS)).toBe(false);
      expect(await store.refresh(id, "0".repeat(64), LATER_MS)).toBe(false);
      expect(await store.refresh(contractArtifact(1).id, sessionKey, LATER_MS)).toBe(false);
      expect(await store.stat(id, sessionKey)).toEqual(stored);
      clock.nowMs = EXPIRY_MS;
      expect(await store.refresh(id, sessionKey, LATER_MS)).toBe(false);
      expect(await store.stat(id, sessionKey)).toBe(undefined);
    },
  "keeps the latest of several expiries that it is asked for at once, and nothing that is deleted meanwhile":
    async ({ store, expect }) => {
      const refresh = store.refresh?.bind(store);
      if (refresh === undefined) return;
      for (const [index, { id, sessionKey }] of (await putSeveral(store, 20)).entries()) {
        const asked = [3000, 1000, 2000].map((later) => EXPIRY_MS + later);
        const taking = Promise.all(asked.map((at) => refresh(id, sessionKey, at)));
        const isKept = index % 2 === 0;
        if (!isKept) expect(await store.delete(id, sessionKey)).toBe(true);
        const taken = await taking;
        const latest = Math.max(...asked.filter((_, place) => taken[place]));
        const found = await store.stat(id, sessionKey);
        expect(found?.expiresAt).toBe(isKept ? latest : undefined);
      }
      const { sessionKey } = contractArtifact(0);
      expect((await store.list(sessionKey)).artifacts.length).toBe(10);
    },
  "sweeps what has expired, once and nothing else, and knows what expires next where it can":
    async ({ store, expect, clock }) => {
      const expectNext = async (at: number): Promise<void> => {
        expect((await store.nextExpiry?.()) ?? at).toBe(at);
      };
      await store.sweep(clock.nowMs);
      await expectNext(Infinity);
      const [first, second, third] = await putSeveral(store, 3);
      await expectNext(EXPIRY_MS);
      clock.nowMs = EXPIRY_MS + 1;
      const sweeps = await Promise.all([1, 2, 3].map(() => store.sweep(clock.nowMs)));
      const ids = sweeps.flat().map(({ id }) => id);
      expect(ids.toSorted()).toEqual([first?.id, second?.id]);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      expect((await store.list(third?.sessionKey ?? "")).artifacts).toEqual([third]);
      await expectNext(EXPIRY_MS + 2);
      await store.sweep(EXPIRY_MS + 2);
      await expectNext(Infinity);
    },
  "deletes an artifact once; deleting twice is harmless": async ({ store, expect }) => {
    const [first, second] = await putSeveral(store, 2);
    if (first === undefined) throw new Error("Nothing was stored.");
    expect(await store.delete(first.id, first.sessionKey)).toBe(true);
    expect(await store.delete(first.id, first.sessionKey)).toBe(false);
    expect(await store.stat(first.id, first.sessionKey)).toBe(undefined);
    expect(await rejectionCode(store.read(first))).toBe("ARTIFACT_NOT_FOUND");
    expect((await store.list(first.sessionKey)).artifacts).toEqual([second]);
  },
  "lists a session page by page, oldest first, none twice and none left out": async ({
    store,
    expect,
  }) => {
    const stored = await putSeveral(store, 7);
    for (const pageSize of [1, 3, 6, 7, 8]) {
      const { listed, pages } = await listIn(store, contractArtifact(0).sessionKey, pageSize);
      expect(listed).toEqual(stored);
      expect(pages).toBe(Math.ceil(7 / pageSize));
    }
  },
  "reads a record with a field that it does not know, and keeps the field": async ({
    store,
    expect,
    rewriteRecord,
  }) => {
    if (rewriteRecord === undefined) return;
    const stored = await putOne(store);
    const { id, sessionKey } = stored;
    const more = { of_another_version: { deep: [1, "two"] } };
    await rewriteRecord(
      stored,
      changing((fields) => ({ ...fields, ...more })),
    );
    expect(await store.stat(id, sessionKey)).toEqual(stored);
    expect(await store.read(stored)).toEqual(BODY);
    await store.refresh?.(id, sessionKey, EXPIRY_MS + 1);
    let kept: unknown;
    await rewriteRecord(
      stored,
      changing((fields) => {
        kept = fields["of_another_version"];
        return fields;
      }),
    );
    expect(kept).toEqual(more.of_another_version);
    expect((await store.sweep(EXPIRY_MS + 1)).map((swept) => swept.id)).toEqual([id]);
  },
  "takes a record that is damaged for none, and lists what comes after it": async ({
    store,
    expect,
    rewriteRecord,
  }) => {
    if (rewriteRecord === undefined) return;
    const [damaged, ...others] = await putSeveral(store, 5);
    if (damaged === undefined) throw new Error("Nothing was stored.");
    await rewriteRecord(
      damaged,
      changing((fields) => ({ ...fields, kind: "of a time to come" })),
    );
    const { id, sessionKey } = damaged;
    expect(await store.stat(id, sessionKey)).toBe(undefined);
    expect(await store.statExpired?.(id, sessionKey)).toBe(undefined);
    expect(await rejectionCode(store.read(damaged))).toBe("ARTIFACT_NOT_FOUND");
    expect((await store.refresh?.(id, sessionKey, EXPIRY_MS + 1)) ?? false).toBe(false);
    expect((await listIn(store, sessionKey, 2)).listed).toEqual(others);
  },
};
