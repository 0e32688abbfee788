import { newArtifactId, scopeOf } from "../../core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  rejectionCode,
} from "./contract-artifact.js";
import type { ContractCase } from "./contract-case.js";

const OTHER_SCOPE = scopeOf("session two");

/** Names that a model might send; none is an artifact's. */
const FORGED_IDS = [
  "",
  ".",
  "..",
  "../x",
  "/etc/passwd",
  "a/../../b",
  "..\\x",
  "01ARZ3NDEKTSV4RRFFQ69G5FA\0",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV/../x",
  "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  "__proto__",
  "constructor",
  "*",
  "%2e%2e%2f",
  "x".repeat(300),
];

/** Ranges end where the body does, and sessions see only what is theirs. */
export const boundaryCases: readonly ContractCase[] = [
  {
    title: "reads ranges within, at and past the end like a slice",
    run: async ({ store, expect }) => {
      const body = patternBytes(300_000);
      const stored = await store.put(contractArtifact(body.length), [body]);
      const offsets = [0, 1, 65_535, 65_536, 262_144, 299_999, 300_000, 300_001, 9e15];
      for (const start of offsets) {
        for (const end of offsets) {
          const read = await store.read(stored, { start, end });
          expect(Buffer.compare(read, body.slice(start, Math.max(start, end)))).toBe(0);
        }
      }
    },
  },
  {
    title: "answers an unknown id with undefined, and its read with ARTIFACT_NOT_FOUND",
    run: async ({ store, expect }) => {
      const unknown = contractArtifact(1);
      expect(await store.stat(newArtifactId(CONTRACT_START_MS), unknown.scope)).toBe(undefined);
      expect(await rejectionCode(store.read(unknown))).toBe("ARTIFACT_NOT_FOUND");
      expect(await store.delete(unknown.id, unknown.scope)).toBe(false);
    },
  },
  {
    title: "hides a session's artifacts from every other session",
    run: async ({ store, expect }) => {
      const stored = await store.put(contractArtifact(1), [Uint8Array.of(7)]);
      expect(await store.stat(stored.id, OTHER_SCOPE)).toBe(undefined);
      expect(await rejectionCode(store.read({ ...stored, scope: OTHER_SCOPE }))).toBe(
        "ARTIFACT_NOT_FOUND",
      );
      expect(await store.list(OTHER_SCOPE)).toEqual({ artifacts: [], cursor: undefined });
      expect(await store.delete(stored.id, OTHER_SCOPE)).toBe(false);
      expect(await store.read(stored)).toEqual(Uint8Array.of(7));
    },
  },
  {
    title: "answers forged ids like unknown ones",
    run: async ({ store, expect }) => {
      const stored = await store.put(contractArtifact(1), [Uint8Array.of(7)]);
      for (const id of [...FORGED_IDS, stored.id.toLowerCase(), ` ${stored.id}`, stored.fileName]) {
        expect(await store.stat(id, stored.scope)).toBe(undefined);
        expect(await rejectionCode(store.read({ ...stored, id }))).toBe("ARTIFACT_NOT_FOUND");
        expect(await store.delete(id, stored.scope)).toBe(false);
      }
      expect(await store.read(stored)).toEqual(Uint8Array.of(7));
    },
  },
  {
    title: "believes its own facts and not those of the caller's artifact",
    run: async ({ store, expect }) => {
      const stored = await store.put(contractArtifact(2), [Uint8Array.of(7, 8)]);
      const forged = {
        ...stored,
        sizeBytes: 1,
        fileName: "../../../../../../etc/passwd",
        filePath: "/etc/passwd",
      };
      expect(await store.read(forged)).toEqual(Uint8Array.of(7, 8));
    },
  },
  {
    title: "refuses to store under an id or file name that could leave its root",
    run: async ({ store, expect }) => {
      for (const id of FORGED_IDS) {
        const artifact = { ...contractArtifact(0), id, fileName: `atlatl-recall-${id}.jsonl` };
        expect(await rejectionCode(store.put(artifact, []))).toBe("STORE_WRITE_FAILED");
      }
      const valid = contractArtifact(0);
      for (const fileName of [`../${valid.id}`, `/tmp/${valid.id}`, `.${valid.id}`, "notes.txt"]) {
        const code = await rejectionCode(store.put({ ...valid, fileName }, []));
        expect(code).toBe("STORE_WRITE_FAILED");
      }
      expect((await store.list(valid.scope)).artifacts).toEqual([]);
    },
  },
];
