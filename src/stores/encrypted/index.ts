import { randomBytes } from "node:crypto";
import { OffloadError } from "../../core/types/errors.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { inSlices } from "../../util/slices.js";
import {
  type ArtifactRecord,
  decodeRecord,
  encodeRecord,
} from "../../core/store/artifact-record.js";
import type { ArtifactStore, NewArtifact } from "../../core/store/artifact-store.js";
import { clampRange, writing } from "../../core/store/store-driver.js";
import { createKeyRing, type EncryptedStoreOptions, type KeyRing } from "./keys.js";
import {
  createSeal,
  damaged,
  openRange,
  RECORD_INDEX,
  type Seal,
  sealBody,
  sealedLength,
  sealedRange,
} from "./seal.js";

export type { EncryptedStoreOptions, EncryptionKey, EncryptionKeys } from "./keys.js";

const MAX_MEMORY_BYTES = 64 * 1024 ** 2;

/**
 * Encrypts what a store keeps with AES-256-GCM: bodies in chunks of 64 KiB, so that range reads still work, and
 * records, including titles, fields, arguments and recipes. Listing and sweeping need some values in plain text: id,
 * hash of the session, times, length, and the id of the key. An output that was changed, cut, moved or not encrypted is
 * refused with `ARTIFACT_DAMAGED`; one whose key is missing with `KEY_MISSING`. Its artifacts have no `filePath`.
 * Drill-ins hold bodies of up to `maxMemoryBytes` in memory only.
 * @param store - Any store; you still own it.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a key cannot be used.
 */
export function encrypted(store: ArtifactStore, options: EncryptedStoreOptions): ArtifactStore {
  const ring = createKeyRing(options);
  const { maxMemoryBytes = MAX_MEMORY_BYTES } = options;

  /** Those that cannot be opened become what `instead` gives. */
  async function openAll(
    envelopes: readonly StoredArtifact[],
    instead: (envelope: StoredArtifact) => readonly StoredArtifact[] = () => [],
  ): Promise<StoredArtifact[]> {
    const artifacts: StoredArtifact[] = [];
    await inSlices(envelopes, (envelope) => {
      try {
        artifacts.push(openEnvelope(envelope, ring).artifact);
      } catch (error) {
        if (!OffloadError.isInstance(error)) throw error;
        artifacts.push(...instead(envelope));
      }
    });
    return artifacts;
  }

  const statExpired = store.statExpired?.bind(store);
  const refresh = store.refresh?.bind(store);
  return {
    name: `encrypted ${store.name}`,
    bodies: "sealed",
    maxMemoryBytes,
    put: (artifact, body) =>
      writing("Storing a tool output encrypted", async () => {
        const encoded = encodeRecord(artifact);
        const { envelope, seal } = putInEnvelope(encoded, ring);
        await store.put(envelope, sealBody(body, encoded.record.sizeBytes, seal));
        return encoded.record;
      }),
    async stat(id, sessionKey) {
      const envelope = await store.stat(id, sessionKey);
      return envelope && openEnvelope(envelope, ring).artifact;
    },
    ...(statExpired !== undefined && {
      async statExpired(id: string, sessionKey: string) {
        const envelope = await statExpired(id, sessionKey);
        return envelope && (await openAll([envelope]))[0];
      },
    }),
    async read(wanted, asked) {
      const envelope = await store.stat(wanted.id, wanted.sessionKey);
      if (envelope === undefined) {
        // The store's own error explains the absence.
        await store.read(wanted, { start: 0, end: 0 });
        throw new OffloadError(
          "STORE_READ_FAILED",
          "A stored output came while it was looked for.",
        );
      }
      const { artifact, seal } = openEnvelope(envelope, ring);
      const range = clampRange(asked, artifact.sizeBytes);
      const sealed = await store.read(envelope, sealedRange(range, artifact.sizeBytes));
      return await openRange(sealed, range, { ...artifact, seal });
    },
    async list(sessionKey, page) {
      const { artifacts, cursor } = await store.list(sessionKey, page);
      return { artifacts: await openAll(artifacts), cursor };
    },
    delete: (id, sessionKey) => store.delete(id, sessionKey),
    ...(refresh !== undefined && { refresh }),
    // A sweep needs no key: without one it reports the envelope.
    sweep: async (nowMs) => openAll(await store.sweep(nowMs), (envelope) => [envelope]),
  };
}

const HIDDEN = "encrypted";
const SALT_BYTES = 32;

/** A random salt gives each record its own key. */
function putInEnvelope(
  { record, text }: ArtifactRecord,
  ring: KeyRing,
): { readonly envelope: NewArtifact; readonly seal: Seal } {
  const { id, sessionKey, createdAt, expiresAt, sizeBytes } = record;
  const salt = randomBytes(SALT_BYTES);
  const seal = createSeal(ring.outputKey(ring.currentId, salt, id), { id, sessionKey });
  const envelope: NewArtifact = {
    id,
    fileName: `${HIDDEN}-${id}.bin`,
    kind: "binary",
    layout: "text",
    toolName: HIDDEN,
    operation: HIDDEN,
    detail: "full",
    sizeBytes: sealedLength(sizeBytes),
    headerBytes: 0,
    lineCount: 0,
    tokens: 0,
    tokensExact: false,
    recipes: [],
    fields: [],
    createdAt,
    expiresAt,
    sessionKey,
    sealed: {
      keyId: ring.currentId,
      salt: base64(salt),
      record: base64(seal.close(Buffer.from(text), RECORD_INDEX, 0)),
    },
  };
  return { envelope, seal };
}

/**
 * The expiry is that of the underlying store, where it may have been extended.
 * @throws {@link OffloadError} with code `KEY_MISSING` without its key, and `ARTIFACT_DAMAGED` when
 * it was changed or never sealed.
 */
function openEnvelope(
  envelope: StoredArtifact,
  ring: KeyRing,
): { readonly artifact: StoredArtifact; readonly seal: Seal } {
  const { id, sessionKey, sealed, expiresAt, sizeBytes } = envelope;
  if (sealed === undefined) {
    throw new OffloadError(
      "ARTIFACT_DAMAGED",
      `The stored output ${id} is not encrypted, and this store reads only encrypted outputs. If a tool made it, call that tool again.`,
    );
  }
  const seal = createSeal(ring.outputKey(sealed.keyId, bytes(sealed.salt), id), { id, sessionKey });
  const record = decodeRecord(seal.open(bytes(sealed.record), RECORD_INDEX, 0).toString())?.record;
  if (record === undefined || sealedLength(record.sizeBytes) !== sizeBytes) throw damaged(id);
  return { artifact: { ...record, expiresAt }, seal };
}

function base64(of: Uint8Array): string {
  return Buffer.from(of).toString("base64");
}

function bytes(of: string): Buffer {
  return Buffer.from(of, "base64");
}
