import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import * as z from "zod";

import { OffloadError, refuseOptions } from "../../core/types/errors.js";
import { checkedOptions, count, optionsOf } from "../../util/option-rules.js";
import { textRule } from "../../util/text-rule.js";

/** A key of 256 bits and its name. */
export interface EncryptionKey {
  /** Stored in plain text beside what the key encrypts: 1 to 64 letters, digits, `_`, `-` and `.`. */
  readonly id: string;
  /** 32 random bytes, such as `Buffer.from(text, "base64")` of what `openssl rand -base64 32` prints. */
  readonly key: Uint8Array;
}

/** The keys of an encrypted store. */
export interface EncryptionKeys {
  /** Encrypts what is stored from now on. */
  readonly current: EncryptionKey;
  /** Decrypt older outputs. Remove one when the last output under it has expired. @defaultValue none */
  readonly previous?: readonly EncryptionKey[];
}

/** The keys, and how much decrypted data drill-ins may hold. */
export interface EncryptedStoreOptions extends EncryptionKeys {
  /**
   * Largest body that drill-ins hold in memory, in bytes. Grep, jq, SQL and references take no larger one.
   * @defaultValue `67_108_864`, 64 MiB
   */
  readonly maxMemoryBytes?: number;
}

export interface KeyRing {
  readonly currentId: string;
  /**
   * Derives the key of one output.
   * @throws {@link OffloadError} with code `KEY_MISSING` when no key of that id was given.
   */
  outputKey(keyId: string, salt: Uint8Array, outputId: string): KeyObject;
}

const KEY_BYTES = 32;
const PURPOSE = "langchain-offload/encrypted/1";

const encryptionKey = optionsOf({
  id: textRule(/^[\w.-]{1,64}$/, "1 to 64 letters, digits, _, - and ."),
  // The value is a secret: no message shows it.
  key: z.custom<unknown>((value) => value instanceof Uint8Array && value.length === KEY_BYTES, {
    error: "This is not a key; use 32 random bytes as a Uint8Array",
  }),
});
const schema = optionsOf({
  maxMemoryBytes: count.optional(),
  current: encryptionKey,
  previous: z.array(encryptionKey).optional(),
});

/**
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a key or an id cannot be used, or two keys have one id.
 */
export function createKeyRing(given: EncryptionKeys): KeyRing {
  const { current, previous = [] } = checkedOptions<EncryptionKeys>("encrypted", schema, given);
  const keys = new Map<string, KeyObject>();
  for (const { id, key } of [current, ...previous]) {
    if (keys.has(id)) {
      refuseOptions(`Two keys of encrypted have the id ${JSON.stringify(id)}; give each its own.`);
    }
    keys.set(id, createSecretKey(key));
  }
  return {
    currentId: current.id,
    outputKey(keyId, salt, outputId) {
      const key = keys.get(keyId);
      if (key === undefined) {
        const shown = JSON.stringify(keyId.slice(0, 64));
        throw new OffloadError(
          "KEY_MISSING",
          `The stored output ${outputId} is encrypted with the key ${shown}, which is not among those given here (${[...keys.keys()].join(", ")}). Give it in keys.previous; until then, call the tool again.`,
        );
      }
      return createSecretKey(Buffer.from(hkdfSync("sha256", key, salt, PURPOSE, KEY_BYTES)));
    },
  };
}
