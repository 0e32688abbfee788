import { randomBytes } from "node:crypto";

import { OffloadError } from "../../core/types/errors.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeRecord, type EncodedRecord } from "../../core/store/artifact-record.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { checkKey, type KeyRing } from "./keys.js";
import { createSeal, damaged, type Seal } from "./seal.js";
import { sealedLength } from "./sealed-body.js";

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
export function putInEnvelope({ record, text }: EncodedRecord, ring: KeyRing): Envelope {
  const { id, scope, createdAt, expiresAt, sizeBytes } = record;
  const salt = randomBytes(SALT_BYTES);
  const outputKey = ring.outputKey(ring.currentId, salt, id);
  const seal = createSeal(outputKey, { id, scope });
  const envelope: NewArtifact = {
    id,
    fileName: `${HIDDEN}-${id}.bin`,
    kind: "binary",
    layout: "text",
    encoding: "latin1",
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
export interface OpenedEnvelope {
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
export function openEnvelope(envelope: StoredArtifact, ring: KeyRing): OpenedEnvelope {
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
