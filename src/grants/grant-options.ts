import { createHmac, createSecretKey } from "node:crypto";
import * as z from "zod";

import { fieldOf } from "../util/field-of.js";
import { optionsOf } from "../util/option-rules.js";
import { encodeText } from "../util/text-encoding.js";

/** A key of the application that signs grants. */
export interface GrantKeyOptions {
  /** Names the key in the tokens that it signs: 1 to 32 letters, digits, `_` or `-`. */
  readonly id: string;
  /** At least 32 bytes, random, the same on every machine; a text counts in UTF-8. */
  readonly secret: string | Uint8Array;
}

/** Outputs can be granted to other sessions. */
export interface GrantOptions {
  /**
   * The first key signs, and all of them are known: to rotate, put the new one in front, and take the old one out when
   * its last grant is over.
   */
  readonly keys: readonly GrantKeyOptions[];
}

/** A key as it is kept: printing it shows no secret. */
export interface GrantKey {
  readonly id: string;
  /** The HMAC-SHA256 of a text, in base64url. */
  readonly sign: (text: string) => string;
}

const MIN_SECRET_BYTES = 32;

const key = optionsOf({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, "use 1 to 32 letters, digits, _ or -"),
  // What is wrong with a secret is told without it.
  secret: z.custom(
    (value) =>
      (typeof value === "string" || value instanceof Uint8Array) &&
      bytesOf(value).length >= MIN_SECRET_BYTES,
    "use a text or bytes, 32 bytes or more, such as randomBytes(32) of node:crypto",
  ),
});

/** What `resolveOptions` accepts as `grants`. */
export const grantsSchema: z.ZodType = optionsOf({
  keys: z
    .array(key)
    .min(1, "use one key or more")
    .refine(
      (keys) => new Set(keys.map((one) => fieldOf(one, "id"))).size === keys.length,
      "use keys of different ids",
    ),
});

/** The keys, copied. */
export function grantKeysOf(options: GrantOptions | undefined): readonly GrantKey[] | undefined {
  return options?.keys.map(({ id, secret }) => {
    const key = createSecretKey(bytesOf(secret));
    return { id, sign: (text) => createHmac("sha256", key).update(text).digest("base64url") };
  });
}

function bytesOf(secret: string | Uint8Array): Uint8Array {
  return typeof secret === "string" ? encodeText(secret).bytes : secret;
}
