import { RECORD_FORMAT } from "../../store/artifact-record.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { CONTRACT_START_MS, CONTRACT_TTL_MS, contractArtifact } from "./contract-artifact.js";
import type { CaseContext, ContractCase } from "./contract-case.js";
import { rejectionCode } from "./rejection-code.js";

const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
const NEWER = "STORED_BY_NEWER_VERSION";

/** A store and one artifact in it, whose record `rewrite` changes as another version would have written it. */
interface Shared extends CaseContext {
  readonly stored: StoredArtifact;
  readonly rewrite: (
    change: (fields: Record<string, unknown>) => Record<string, unknown>,
  ) => Promise<void>;
}

/** Nothing is run where the store does not say how to change a record. */
function shared(run: (context: Shared) => Promise<void>): ContractCase["run"] {
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

const newer = (fields: Record<string, unknown>): Record<string, unknown> => ({
  ...fields,
  format: RECORD_FORMAT + 1,
  layout: "of a time to come",
  body: { compressed: true },
});

/** Two versions share a store while one takes the other's place. */
export const versionCases: readonly ContractCase[] = [
  {
    title: "says of what a newer version has stored that it did, and reads nothing of it",
    run: shared(async ({ store, expect, stored, rewrite }) => {
      const { id, scope } = stored;
      const other = await store.put(contractArtifact(1), [Uint8Array.of(2)]);
      await rewrite(newer);
      expect(await rejectionCode(store.stat(id, scope))).toBe(NEWER);
      expect(await rejectionCode(store.read(stored))).toBe(NEWER);
      if (store.refresh !== undefined) {
        expect(await rejectionCode(store.refresh(id, scope, EXPIRY_MS + 1))).toBe(NEWER);
      }
      expect(await store.stat(id, "0".repeat(64))).toBe(undefined);
      expect((await store.list(scope, { pageSize: 1 })).artifacts.length <= 1).toBe(true);
      expect((await store.list(scope)).artifacts).toEqual([other]);
    }),
  },
  {
    title: "leaves what a newer version has stored until its expiry, and then removes it",
    run: shared(async ({ store, expect, clock, stored, rewrite }) => {
      await rewrite(newer);
      clock.nowMs = EXPIRY_MS - 1;
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      expect(await rejectionCode(store.stat(stored.id, stored.scope))).toBe(NEWER);
      expect(await rejectionCode(store.put(stored, [Uint8Array.of(3)]))).toBe("STORE_WRITE_FAILED");
      await rewrite((fields) => ({ ...fields, format: RECORD_FORMAT, layout: stored.layout }));
      expect(await store.read(stored)).toEqual(Uint8Array.of(1));
      await rewrite(newer);
      clock.nowMs = EXPIRY_MS;
      expect(await store.stat(stored.id, stored.scope)).toBe(undefined);
      expect(await store.statExpired?.(stored.id, stored.scope)).toBe(undefined);
      expect(await store.sweep(clock.nowMs)).toEqual([]);
      clock.nowMs = CONTRACT_START_MS;
      const again = await store.put(stored, [Uint8Array.of(4)]);
      expect(await store.read(again)).toEqual(Uint8Array.of(4));
    }),
  },
  {
    title: "deletes what a newer version has stored when it is told to",
    run: shared(async ({ store, expect, stored, rewrite }) => {
      await rewrite(newer);
      expect(await store.delete(stored.id, stored.scope)).toBe(true);
      expect(await store.stat(stored.id, stored.scope)).toBe(undefined);
    }),
  },
  {
    title: "reads a record with a field that it does not know, and keeps the field",
    run: shared(async ({ store, expect, stored, rewrite }) => {
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
    }),
  },
  {
    title: "lists what comes after a record that cannot be read",
    run: shared(async ({ store, expect, stored, rewrite }) => {
      const ids: string[] = [];
      for (let later = 1; later <= 4; later += 1) {
        const createdAt = CONTRACT_START_MS + later;
        ids.push((await store.put(contractArtifact(1, { createdAt }), [Uint8Array.of(2)])).id);
      }
      await rewrite((fields) => ({ ...fields, kind: "of a time to come" }));
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list(stored.scope, { cursor, pageSize: 2 });
        listed.push(...page.artifacts.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined && listed.length < 10);
      expect(listed).toEqual(ids);
    }),
  },
  {
    title: "says in each record which format it is, and takes one that does not say for the first",
    run: shared(async ({ store, expect, stored, rewrite }) => {
      let format: unknown;
      await rewrite(({ format: said, ...fields }) => {
        format = said;
        return fields;
      });
      expect(format).toBe(RECORD_FORMAT);
      expect(await store.stat(stored.id, stored.scope)).toEqual(stored);
    }),
  },
];
