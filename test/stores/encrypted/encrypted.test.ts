import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { CHUNK_BYTES } from "../../../src/stores/encrypted/seal.js";
import { encrypted, type EncryptionKeys } from "../../../src/stores/encrypted/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { countTurns } from "../../count-turns.js";

const now = (): number => CONTRACT_START_MS;
const [first, second] = [randomBytes(32), randomBytes(32)];
const keys: EncryptionKeys = { current: { id: "first", key: first } };
const SEALED_BYTES = CHUNK_BYTES + 16;

/** A store below whose bodies and records a test may change, as whoever can write to the medium may. */
function openMedium() {
  const inner = memoryStore({ now });
  const bodies = new Map<string, Buffer>();
  const store: ArtifactStore = {
    ...inner,
    stat: async (id, sessionKey) => {
      const found = await inner.stat(id, sessionKey);
      return found && medium.change(found);
    },
    read: async (artifact, range) => {
      const body = bodies.get(artifact.id) ?? Buffer.from(await inner.read(artifact));
      bodies.set(artifact.id, body);
      return body.subarray(range?.start, range?.end);
    },
  };
  const medium = { bodies, store, change: (artifact: StoredArtifact): StoredArtifact => artifact };
  return medium;
}

/** An encrypted output over a medium, and the medium. */
async function stored(sizeBytes: number) {
  const medium = openMedium();
  const store = encrypted(medium.store, keys);
  const artifact = await store.put(contractArtifact(sizeBytes), [patternBytes(sizeBytes)]);
  await store.read(artifact);
  return { medium, store, artifact, body: medium.bodies.get(artifact.id) ?? Buffer.alloc(0) };
}

describe("an encrypted store", () => {
  it("leaves turns to the event loop while it says what a sweep has removed", async () => {
    const below = memoryStore({ now });
    const store = encrypted(below, keys);
    const artifacts = Array.from({ length: 2_000 }, () => contractArtifact(0));
    for (const artifact of artifacts) await store.put(artifact, []);
    const { artifacts: envelopes } = await below.list(contractArtifact(0).sessionKey, {
      pageSize: 2_000,
    });
    const swept = { ...below, sweep: async () => envelopes };
    const counted = countTurns();
    expect(await encrypted(swept, keys).sweep(0)).toHaveLength(2_000);
    counted.stop();
    expect(counted.turns()).toBeGreaterThan(2);
  });

  it("refuses a body of which one bit was changed, wherever it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(199_999), fc.nat(7), async (at, bit) => {
        const { store, artifact, body } = await stored(200_000);
        body[at] = (body[at] ?? 0) ^ (1 << bit);
        expect(await rejectionCode(store.read(artifact))).toBe("ARTIFACT_DAMAGED");
      }),
      { numRuns: 30 },
    );
  });

  it("refuses a body that was cut, also at the border of two chunks, and one with chunks moved", async () => {
    const places = [0, 1, 2].map((at) => at * SEALED_BYTES);
    const changes: readonly ((chunks: readonly Buffer[]) => readonly Buffer[])[] = [
      (chunks) => chunks.slice(0, 2),
      ([first, second, third]) => [first!, second!, third!.subarray(0, -1)],
      ([first, second, third]) => [second!, first!, third!],
      ([first, second]) => [first!, second!, first!],
    ];
    for (const change of changes) {
      const { medium, store, artifact, body } = await stored(3 * CHUNK_BYTES);
      const chunks = places.map((at) => body.subarray(at, at + SEALED_BYTES));
      medium.bodies.set(artifact.id, Buffer.concat(change(chunks)));
      expect(await rejectionCode(store.read(artifact))).toBe("ARTIFACT_DAMAGED");
    }
  });

  it("refuses a body and a record that stand under another output's id or session", async () => {
    const { medium, store, artifact: other, body } = await stored(100);
    const one = await store.put(contractArtifact(100), [patternBytes(100)]);
    await store.read(one);
    medium.bodies.set(one.id, body);
    expect(await rejectionCode(store.read(one))).toBe("ARTIFACT_DAMAGED");

    const envelope = await medium.store.stat(other.id, other.sessionKey);
    const lookUp = ({ id, sessionKey }: StoredArtifact): Promise<string> =>
      rejectionCode(encrypted(medium.store, keys).stat(id, sessionKey));
    medium.change = (artifact) => ({ ...artifact, sealed: envelope?.sealed });
    expect(await lookUp(one)).toBe("ARTIFACT_DAMAGED");
    medium.change = (artifact) => ({ ...artifact, sessionKey: "0".repeat(64) });
    expect(await lookUp(other)).toBe("ARTIFACT_DAMAGED");
  });

  it("refuses what is not encrypted, so that nobody can put plain data in its place", async () => {
    const below = memoryStore({ now });
    const plain = await below.put(contractArtifact(3), [Uint8Array.of(1, 2, 3)]);
    const store = encrypted(below, keys);
    expect(await rejectionCode(store.stat(plain.id, plain.sessionKey))).toBe("ARTIFACT_DAMAGED");
    expect(await rejectionCode(store.read(plain))).toBe("ARTIFACT_DAMAGED");
    expect((await store.list(plain.sessionKey)).artifacts).toEqual([]);
  });

  it("has in plain what sweeping and listing take, and nothing else", async () => {
    const below = memoryStore({ now });
    const artifact = contractArtifact(3, { title: "Salaries", bodySha256: "a".repeat(64) });
    await encrypted(below, keys).put(artifact, [Uint8Array.of(1, 2, 3)]);
    const { sealed, ...plain } = (await below.stat(artifact.id, artifact.sessionKey)) ?? {};
    const { id, sessionKey, createdAt, expiresAt } = artifact;
    const sizes = {
      sizeBytes: 3 + 16,
      headerBytes: 0,
      lineCount: 0,
      tokens: 0,
      tokensExact: false,
    };
    const names = {
      fileName: `encrypted-${id}.bin`,
      toolName: "encrypted",
      operation: "encrypted",
    };
    const kinds = { kind: "binary", layout: "text", detail: "full", recipes: [], fields: [] };
    const known = { id, sessionKey, createdAt, expiresAt };
    expect(plain).toEqual({ ...known, ...sizes, ...names, ...kinds });
    expect(sealed?.keyId).toBe("first");
  });
});

describe("keys of an encrypted store", () => {
  it("rotate: what was stored under a previous key is read, what is new has the current one", async () => {
    const below = memoryStore({ now });
    const old = await encrypted(below, keys).put(contractArtifact(1), [Uint8Array.of(1)]);
    const current = { id: "second", key: second };
    const rotated = encrypted(below, { current, previous: [keys.current] });
    const fresh = await rotated.put(contractArtifact(1), [Uint8Array.of(2)]);
    expect(await rotated.read(old)).toEqual(Uint8Array.of(1));
    expect((await rotated.list(old.sessionKey)).artifacts).toHaveLength(2);
    expect((await below.stat(fresh.id, fresh.sessionKey))?.sealed?.keyId).toBe("second");
  });

  it("that are missing are named, wrong ones too, and never give bytes", async () => {
    const below = memoryStore({ now });
    const stored = await encrypted(below, keys).put(contractArtifact(1), [Uint8Array.of(1)]);
    const without = encrypted(below, { current: { id: "second", key: second } });
    const wrong = encrypted(below, { current: { id: "first", key: second } });
    const missing = { code: "KEY_MISSING", message: expect.stringContaining('the key "first"') };
    await expect(without.stat(stored.id, stored.sessionKey)).rejects.toMatchObject(missing);
    await expect(without.read(stored)).rejects.toMatchObject(missing);
    expect(await rejectionCode(wrong.read(stored))).toBe("ARTIFACT_DAMAGED");
    expect((await without.list(stored.sessionKey)).artifacts).toEqual([]);
    expect(await without.delete(stored.id, stored.sessionKey)).toBe(true);
  });
});
