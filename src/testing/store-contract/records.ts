import type { StoredArtifact } from "../../core/types/artifact.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  rejectionCode,
} from "./contract-artifact.js";
import type { CaseContext, ContractCase } from "./contract-case.js";

const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;

/** A store and one artifact in it, whose record `rewrite` changes. */
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

/** What becomes of a record that is not as this version writes it. */
export const recordCases: readonly ContractCase[] = [
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
    title: "takes a record that is damaged for none, and lists what comes after it",
    run: shared(async ({ store, expect, stored, rewrite }) => {
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
    }),
  },
];
