import { randomBytes } from "node:crypto";
import { hasErrorCode, OffloadError } from "../../core/types/errors.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { keepLatest } from "../../util/keep-latest.js";
import { inSlices } from "../../util/slices.js";
import {
  decodeRecord,
  type EncodedRecord,
  encodeRecord,
} from "../../core/store/artifact-record.js";
import type { ArtifactStore, ByteRange, NewArtifact } from "../../core/store/artifact-store.js";
import { clampRange, writeFailed } from "../../core/store/store-driver.js";
import { checkKey, createKeyRing, type EncryptedStoreOptions, type KeyRing } from "./keys.js";
import {
  createSeal,
  damaged,
  openRange,
  type Seal,
  sealBody,
  sealedLength,
  sealedRange,
} from "./seal.js";

export type { EncryptedStoreOptions, EncryptionKey, EncryptionKeys } from "./keys.js";

/** What reading a body takes, without a look at the store. */
interface Known {
  /** Without its sealed record, which may be large. */
  readonly envelope: StoredArtifact;
  readonly sizeBytes: number;
  readonly seal: Seal;
}

/** Outputs of which the keys are held; of another one the record is read once more. */
const MAX_KNOWN = 1000;
const MAX_MEMORY_BYTES = 64 * 1024 ** 2;

/**
 * Encrypts what a store keeps: bodies by AES-256-GCM in chunks of 64 KiB, so that ranges are read as before, and
 * records, with titles, fields, arguments and recipes in them. What stays in plain is what listing and sweeping take: id,
 * hash of the session, times, length, and the id of the key. An output that was changed, cut or moved is refused with
 * `ARTIFACT_DAMAGED`, as is one that is not encrypted; one whose key is not given with `KEY_MISSING`. Its artifacts have
 * no `filePath`, and drill-ins hold its bodies in memory only, those up to `maxMemoryBytes`.
 *
 * @param store - Any store; it stays yours.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a key cannot be used.
 */
export function encrypted(store: ArtifactStore, options: EncryptedStoreOptions): ArtifactStore {
  const ring = createKeyRing(options);
  const { maxMemoryBytes = MAX_MEMORY_BYTES } = options;
  const known = new Map<string, Known>();

  function open(envelope: StoredArtifact): StoredArtifact {
    const { artifact, seal } = openEnvelope(envelope, ring);
    remember(envelope, artifact.sizeBytes, seal);
    return artifact;
  }

  function remember(of: StoredArtifact, sizeBytes: number, seal: Seal): void {
    const { sealed: _record, ...envelope } = of;
    keepLatest(known, keyOf(envelope), { envelope, sizeBytes, seal }, MAX_KNOWN);
  }

  /** Those that can be opened, as a list has those whose format is known. */
  async function opened(envelopes: readonly StoredArtifact[]): Promise<StoredArtifact[]> {
    const artifacts: StoredArtifact[] = [];
    await inSlices(envelopes, (envelope) => {
      const artifact = orUndefined(() => open(envelope));
      if (artifact !== undefined) artifacts.push(artifact);
    });
    return artifacts;
  }

  async function find(artifact: StoredArtifact): Promise<Known> {
    const key = keyOf(artifact);
    const envelope = await store.stat(artifact.id, artifact.scope);
    if (envelope !== undefined) open(envelope);
    const found = envelope && known.get(key);
    if (found !== undefined) return found;
    // The store says why it is not there.
    await store.read(artifact, { start: 0, end: 0 });
    throw new OffloadError("STORE_READ_FAILED", "A stored output came while it was looked for.");
  }

  async function readKnown(of: Known, asked: ByteRange | undefined): Promise<Uint8Array> {
    const { envelope, sizeBytes } = of;
    const range = clampRange(asked, sizeBytes);
    const sealed = await store.read(envelope, sealedRange(range, sizeBytes));
    return await openRange(sealed, range, { id: envelope.id, ...of });
  }

  const statExpired = store.statExpired?.bind(store);
  const refresh = store.refresh?.bind(store);
  const nextExpiry = store.nextExpiry?.bind(store);
  return {
    name: `encrypted ${store.name}`,
    bodies: "sealed",
    maxMemoryBytes,
    async put(artifact, body) {
      try {
        const encoded = encodeRecord(artifact);
        const { sizeBytes } = encoded.record;
        const { envelope, seal } = putInEnvelope(encoded, ring);
        remember(await store.put(envelope, sealBody(body, sizeBytes, seal)), sizeBytes, seal);
        return encoded.record;
      } catch (error) {
        if (OffloadError.isInstance(error)) throw error;
        throw writeFailed("Storing a tool output encrypted", error);
      }
    },
    async stat(id, scope) {
      const envelope = await store.stat(id, scope);
      return envelope && open(envelope);
    },
    ...(statExpired !== undefined && {
      async statExpired(id: string, scope: string) {
        const envelope = await statExpired(id, scope);
        return envelope && orUndefined(() => openEnvelope(envelope, ring).artifact);
      },
    }),
    async read(artifact, range) {
      const before = known.get(keyOf(artifact));
      if (before === undefined) return await readKnown(await find(artifact), range);
      try {
        return await readKnown(before, range);
      } catch (error) {
        // Another process may have deleted it, and stored something else under its id.
        if (!hasErrorCode(error, "ARTIFACT_DAMAGED")) throw error;
        return await readKnown(await find(artifact), range);
      }
    },
    async list(scope, page) {
      const { artifacts, cursor } = await store.list(scope, page);
      return { artifacts: await opened(artifacts), cursor };
    },
    async delete(id, scope) {
      known.delete(keyOf({ id, scope }));
      return await store.delete(id, scope);
    },
    ...(refresh !== undefined && { refresh }),
    async sweep(nowMs) {
      const swept = await store.sweep(nowMs);
      for (const envelope of swept) known.delete(keyOf(envelope));
      // What is gone needs no key: whoever has none hears of the envelope.
      return swept.map(
        (envelope) => orUndefined(() => openEnvelope(envelope, ring).artifact) ?? envelope,
      );
    },
    ...(nextExpiry !== undefined && { nextExpiry }),
  };
}

function keyOf({ id, scope }: Pick<StoredArtifact, "id" | "scope">): string {
  return `${scope} ${id}`;
}

function orUndefined<Value>(value: () => Value): Value | undefined {
  try {
    return value();
  } catch (error) {
    if (OffloadError.isInstance(error)) return undefined;
    throw error;
  }
}

/** What is said of an encrypted output where its name or its tool's would stand. */
const HIDDEN = "encrypted";
const SALT_BYTES = 32;

/** An artifact as the store below gets it, and what seals its body. */
interface Envelope {
  readonly envelope: NewArtifact;
  readonly seal: Seal;
}

/**
 * Puts a record in an envelope: what keeping, listing and sweeping need is in plain, all else is sealed. A salt that
 * nothing else has makes a key that nothing else has.
 */
function putInEnvelope({ record, text }: EncodedRecord, ring: KeyRing): Envelope {
  const { id, scope, createdAt, expiresAt, sizeBytes } = record;
  const salt = randomBytes(SALT_BYTES);
  const outputKey = ring.outputKey(ring.currentId, salt, id);
  const seal = createSeal(outputKey, { id, scope });
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
    scope,
    sealed: {
      keyId: ring.currentId,
      salt: base64(salt),
      check: base64(outputKey.check),
      record: base64(seal.sealRecord(text)),
    },
  };
  return { envelope, seal };
}

/** What was in an envelope. */
interface OpenedEnvelope {
  /** With the expiry that the store below says, which may have been moved. */
  readonly artifact: StoredArtifact;
  readonly seal: Seal;
}

/**
 * Opens the envelope of a record.
 *
 * @throws {@link OffloadError} with code `KEY_MISSING` without its key, and `ARTIFACT_DAMAGED` when it is not as it was
 * sealed or not sealed at all.
 */
function openEnvelope(envelope: StoredArtifact, ring: KeyRing): OpenedEnvelope {
  const { id, scope, sealed, expiresAt, sizeBytes } = envelope;
  if (sealed === undefined) throw notSealed(id);
  const { keyId } = sealed;
  const outputKey = ring.outputKey(keyId, bytes(sealed.salt), id);
  checkKey(outputKey, bytes(sealed.check), { outputId: id, keyId });
  const seal = createSeal(outputKey, { id, scope });
  const record = decodeRecord(seal.openRecord(bytes(sealed.record)));
  if (record === undefined || sealedLength(record.sizeBytes) !== sizeBytes) throw damaged(id);
  return { artifact: { ...record, expiresAt }, seal };
}

function notSealed(id: string): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is not encrypted, and here only what is encrypted is read: it was stored before ` +
      "encrypted() was put around the store, or by somebody else. Call the tool that made it again.",
  );
}

function base64(of: Uint8Array): string {
  return Buffer.from(of).toString("base64");
}

function bytes(of: string): Buffer {
  return Buffer.from(of, "base64");
}
