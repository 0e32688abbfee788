import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import * as z from "zod";

import { OffloadError } from "../../core/types/errors.js";
import { checkedOptions, count, optionsOf, rule } from "../../util/option-rules.js";

/** A key of 256 bits and its name. */
export interface EncryptionKey {
  /** Stands in plain beside what the key encrypts: 1 to 64 letters, digits, `_`, `-` and `.`. */
  readonly id: string;
  /** 32 random bytes, or their base64: what `openssl rand -base64 32` prints. */
  readonly key: Uint8Array | string;
}

/** The keys of an encrypted store. */
export interface EncryptionKeys {
  /** Encrypts what is stored from now on. */
  readonly current: EncryptionKey;
  /** Read what was stored before. One may go when the last output under it has expired. @defaultValue none */
  readonly previous?: readonly EncryptionKey[];
}

/** The keys, and what drill-ins may hold of what they open. */
export interface EncryptedStoreOptions extends EncryptionKeys {
  /**
   * Largest body that drill-ins hold in memory, in bytes: grep, jq, SQL and references take no larger one.
   *
   * @defaultValue `67_108_864`, 64 MiB
   */
  readonly maxMemoryBytes?: number;
}

/** Makes the keys of single outputs of those that were given. */
export interface KeyRing {
  readonly currentId: string;
  /** @throws {@link OffloadError} with code `KEY_MISSING` when no key of that id was given. */
  outputKey(keyId: string, salt: Uint8Array, outputId: string): OutputKey;
}

/** Of one output alone, since its salt is. */
export interface OutputKey {
  readonly key: KeyObject;
  /** Says of a key whether it is this one, and nothing else of it. */
  readonly check: Uint8Array;
}

const KEY_BYTES = 32;
const CHECK_BYTES = 16;
const ID_PATTERN = /^[\w.-]{1,64}$/;
const PURPOSE = "langchain-offload/encrypted/1";

const encryptionKey = optionsOf({
  id: rule(
    (value) => typeof value === "string" && ID_PATTERN.test(value),
    "1 to 64 letters, digits, _, - and .",
  ),
  // The value is a secret: no message shows it.
  key: z.custom<unknown>((value) => bytesOf(value)?.length === KEY_BYTES, {
    error: "This is no key; use 32 random bytes, as a Uint8Array or as base64",
  }),
});
const schema = optionsOf({
  maxMemoryBytes: count.optional(),
  current: encryptionKey,
  previous: z.array(encryptionKey).optional(),
});

/**
 * Checks keys and holds them.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a key or an id cannot be used, or two keys have one id.
 */
export function createKeyRing(given: EncryptionKeys): KeyRing {
  const { current, previous = [] } = checkedOptions<EncryptionKeys>("encrypted", schema, given);
  const keys = new Map<string, KeyObject>();
  for (const { id, key } of [current, ...previous]) {
    if (keys.has(id)) throw twice(id);
    keys.set(id, createSecretKey(bytesOf(key) ?? Buffer.alloc(0)));
  }
  return {
    currentId: current.id,
    outputKey(keyId, salt, outputId) {
      const key = keys.get(keyId);
      if (key === undefined) throw unknownKey(outputId, keyId, [...keys.keys()]);
      const own = createSecretKey(Buffer.from(hkdfSync("sha256", key, salt, PURPOSE, KEY_BYTES)));
      const check = createHmac("sha256", own).update("check").digest().subarray(0, CHECK_BYTES);
      return { key: own, check };
    },
  };
}

/** @throws {@link OffloadError} with code `KEY_MISSING` when the key is another one under the same id. */
export function checkKey(
  { check }: OutputKey,
  wanted: Uint8Array,
  about: { readonly outputId: string; readonly keyId: string },
): void {
  if (wanted.length === check.length && timingSafeEqual(wanted, check)) return;
  throw new OffloadError(
    "KEY_MISSING",
    `The stored output ${about.outputId} is encrypted with another key than the one that is given here as ` +
      `${JSON.stringify(about.keyId)}. Give the one it was stored with; until then, call the tool again.`,
  );
}

function unknownKey(outputId: string, keyId: string, given: readonly string[]): OffloadError {
  const shown = JSON.stringify(keyId.slice(0, 64));
  return new OffloadError(
    "KEY_MISSING",
    `The stored output ${outputId} is encrypted with the key ${shown}, which is not among those given here ` +
      `(${given.join(", ")}). Give it in keys.previous; until then, call the tool again.`,
  );
}

function twice(id: string): OffloadError {
  return new OffloadError(
    "INVALID_OPTIONS",
    `These options of encrypted cannot be used:\n✖ Two keys have the id ${JSON.stringify(id)}; give each its own.`,
  );
}

function bytesOf(key: unknown): Uint8Array | undefined {
  if (key instanceof Uint8Array) return key;
  if (typeof key !== "string" || key.length > 2 * KEY_BYTES) return undefined;
  const bytes = Buffer.from(key, "base64");
  return bytes.toString("base64") === key.trim() ? bytes : undefined;
}
