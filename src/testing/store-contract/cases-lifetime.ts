import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import {
  type CaseContext,
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  type ContractCases,
  type ContractRun,
  rejectionCode,
} from "./contract-artifact.js";

const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;

/** Stores one-byte artifacts, each created a millisecond after the one before. */
async function putSeveral(store: ArtifactStore, count: number): Promise<StoredArtifact[]> {
  const stored: StoredArtifact[] = [];
  for (let index = 0; index < count; index += 1) {
    const artifact = contractArtifact(1, { createdAt: CONTRACT_START_MS + index });
    stored.push(await store.put(artifact, [Uint8Array.of(index)]));
  }
  return stored;
}

/** Artifacts end at their time and are listed in their order. */
export const lifetimeCases: ContractCases = {
  "has an artifact until the last millisecond before its expiry, and hides it from then on, before any sweep":
    async ({ store, expect, clock }) => {
      const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
      clock.nowMs = EXPIRY_MS - 1;
      expect(await store.stat(stored.id, stored.scope)).toEqual(stored);
      expect((await store.list(stored.scope)).artifacts).toEqual([stored]);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      expect(await store.read(stored)).toEqual(Uint8Array.of(1));
      clock.nowMs = EXPIRY_MS;
      expect(await store.stat(stored.id, stored.scope)).toBe(undefined);
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_EXPIRED");
      expect((await store.list(stored.scope)).artifacts).toEqual([]);
      const forged = { ...stored, expiresAt: EXPIRY_MS + 1 };
      const code = await rejectionCode(store.read(forged));
      expect(["ARTIFACT_EXPIRED", "ARTIFACT_NOT_FOUND"].includes(code)).toBe(true);
    },
  "moves an expiry to a later time where it can, and then keeps the artifact until that time, also for who knows the earlier one":
    async ({ store, expect, clock }) => {
      if (store.refresh === undefined) return;
      const stored = await store.put(contractArtifact(4), [Uint8Array.of(1, 2, 3, 4)]);
      const later = EXPIRY_MS + CONTRACT_TTL_MS;
      expect(await store.refresh(stored.id, stored.scope, later)).toBe(true);
      clock.nowMs = later - 1;
      const prolonged = { ...stored, expiresAt: later };
      expect(await store.stat(stored.id, stored.scope)).toEqual(prolonged);
      expect((await store.list(stored.scope)).artifacts).toEqual([prolonged]);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      for (const known of [stored, prolonged]) {
        expect(await store.read(known)).toEqual(Uint8Array.of(1, 2, 3, 4));
        expect(await store.read(known, { start: 1, end: 3 })).toEqual(Uint8Array.of(2, 3));
      }
      clock.nowMs = later;
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_EXPIRED");
      expect(await store.stat(stored.id, stored.scope)).toBe(undefined);
      expect(await store.sweep(clock.nowMs)).toEqual([prolonged]);
    },
  "keeps the latest of several expiries that it is asked for at once, and says which it took":
    async ({ store, expect }) => {
      if (store.refresh === undefined) return;
      for (const { id, scope } of await putSeveral(store, 10)) {
        const asked = [3000, 1000, 2000].map((later) => EXPIRY_MS + later);
        const taken = await Promise.all(
          asked.map(async (at) => await store.refresh?.(id, scope, at)),
        );
        const latest = Math.max(...asked.filter((_, index) => taken[index]));
        expect((await store.stat(id, scope))?.expiresAt).toBe(latest);
      }
    },
  "leaves an artifact gone that is deleted and prolonged at once": async ({ store, expect }) => {
    if (store.refresh === undefined) return;
    for (const { id, scope } of await putSeveral(store, 10)) {
      const prolongTo = (expiresAt: number): Promise<boolean> | undefined =>
        store.refresh?.(id, scope, expiresAt);
      const [, isDeleted] = await Promise.all([
        prolongTo(EXPIRY_MS + 1000),
        store.delete(id, scope),
        prolongTo(EXPIRY_MS + 2000),
      ]);
      expect(isDeleted).toBe(true);
      expect(await store.stat(id, scope)).toBe(undefined);
      expect((await store.list(scope)).artifacts.some((artifact) => artifact.id === id)).toBe(
        false,
      );
    }
  },
  "moves no expiry to an earlier time, of another scope, or of what has expired or is not there":
    async ({ store, expect, clock }) => {
      if (store.refresh === undefined) return;
      const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
      const { id, scope } = stored;
      const later = EXPIRY_MS + CONTRACT_TTL_MS;
      expect(await store.refresh(id, scope, EXPIRY_MS - 1)).toBe(false);
      expect(await store.refresh(id, scope, EXPIRY_MS)).toBe(false);
      expect(await store.refresh(id, "0".repeat(64), later)).toBe(false);
      expect(await store.refresh(contractArtifact(1).id, scope, later)).toBe(false);
      expect(await store.stat(id, scope)).toEqual(stored);
      clock.nowMs = EXPIRY_MS;
      expect(await store.refresh(id, scope, later)).toBe(false);
      expect(await store.stat(id, scope)).toBe(undefined);
      await store.delete(id, scope);
      expect(await store.refresh(id, scope, later)).toBe(false);
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
      const swept = await store.sweep(clock.nowMs);
      expect(new Set(swept.map(({ id }) => id))).toEqual(new Set([first?.id, second?.id]));
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      expect((await store.list(third?.scope ?? "")).artifacts).toEqual([third]);
      await expectNext(EXPIRY_MS + 2);
      await store.sweep(EXPIRY_MS + 2);
      await expectNext(Infinity);
    },
  "returns each expired artifact from one of several sweeps at once": async ({
    store,
    expect,
    clock,
  }) => {
    const stored = await putSeveral(store, 20);
    clock.nowMs = EXPIRY_MS + 1000;
    const sweeps = await Promise.all([1, 2, 3].map(() => store.sweep(clock.nowMs)));
    const ids = sweeps.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual(stored.map(({ id }) => id));
  },
  "deletes an artifact once; deleting twice is harmless": async ({ store, expect }) => {
    const [first, second] = await putSeveral(store, 2);
    if (first === undefined) throw new Error("Nothing was stored.");
    expect(await store.delete(first.id, first.scope)).toBe(true);
    expect(await store.delete(first.id, first.scope)).toBe(false);
    expect(await store.stat(first.id, first.scope)).toBe(undefined);
    expect(await rejectionCode(store.read(first))).toBe("ARTIFACT_NOT_FOUND");
    expect((await store.list(first.scope)).artifacts).toEqual([second]);
  },
  "lists a session page by page, oldest first, none twice and none left out": async ({
    store,
    expect,
  }) => {
    const stored = await putSeveral(store, 7);
    const scope = stored[0]?.scope ?? "";
    for (const pageSize of [1, 3, 6, 7, 8]) {
      const listed: StoredArtifact[] = [];
      let pages = 0;
      let cursor: string | undefined;
      do {
        const page = await store.list(scope, { pageSize, cursor });
        listed.push(...page.artifacts);
        expect(page.artifacts.length <= pageSize).toBe(true);
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== undefined && pages < 20);
      expect(listed).toEqual(stored);
      expect(pages).toBe(Math.ceil(7 / pageSize));
    }
  },
};

/** A store and one artifact in it, whose record `rewrite` changes. */
interface Shared extends CaseContext {
  readonly stored: StoredArtifact;
  readonly rewrite: (
    change: (fields: Record<string, unknown>) => Record<string, unknown>,
  ) => Promise<void>;
}

/** Nothing is run where the store does not say how to change a record. */
function shared(run: (context: Shared) => Promise<void>): ContractRun {
  return async (context) => {
    const { store, rewriteRecord } = context;
    if (rewriteRecord === undefined) return;
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    await run({
      ...context,
      stored,
      rewrite: (change) =>
        rewriteRecord(stored, (text) => {
          const fields: Record<string, unknown> = JSON.parse(text);
          return JSON.stringify(change(fields));
        }),
    });
  };
}

/** What becomes of a record that is not as this version writes it. */
export const recordCases: ContractCases = {
  "reads a record with a field that it does not know, and keeps the field": shared(
    async ({ store, expect, stored, rewrite }) => {
      const { id, scope } = stored;
      await rewrite((fields) => ({ ...fields, of_another_version: { deep: [1, "two"] } }));
      expect(await store.stat(id, scope)).toEqual(stored);
      expect(await store.read(stored)).toEqual(Uint8Array.of(1));
      expect((await store.list(scope)).artifacts).toEqual([stored]);
      await store.refresh?.(id, scope, EXPIRY_MS + 1);
      let kept: unknown;
      await rewrite((fields) => {
        kept = fields["of_another_version"];
        return fields;
      });
      expect(kept).toEqual({ deep: [1, "two"] });
      expect((await store.sweep(EXPIRY_MS + 1)).map((swept) => swept.id)).toEqual([id]);
    },
  ),
  "takes a record that is damaged for none, and lists what comes after it": shared(
    async ({ store, expect, stored, rewrite }) => {
      const ids: string[] = [];
      for (let later = 1; later <= 4; later += 1) {
        const createdAt = CONTRACT_START_MS + later;
        ids.push((await store.put(contractArtifact(1, { createdAt }), [Uint8Array.of(2)])).id);
      }
      await rewrite((fields) => ({ ...fields, kind: "of a time to come" }));
      const { id, scope } = stored;
      expect(await store.stat(id, scope)).toBe(undefined);
      expect(await store.statExpired?.(id, scope)).toBe(undefined);
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_NOT_FOUND");
      expect((await store.refresh?.(id, scope, EXPIRY_MS + 1)) ?? false).toBe(false);
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list(stored.scope, { cursor, pageSize: 2 });
        listed.push(...page.artifacts.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined && listed.length < 10);
      expect(listed).toEqual(ids);
    },
  ),
};
