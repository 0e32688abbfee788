import { timingSafeEqual } from "node:crypto";
import * as z from "zod";

import { ARTIFACT_ID_PATTERN } from "../store/naming.js";
import type { GrantKey } from "./grant-options.js";

/** What a token says, in the order in which it is written. */
export interface GrantTerms {
  readonly grantId: string;
  /** The session that grants, hashed. */
  readonly from: string;
  /** The session that may use it, hashed. */
  readonly to: string;
  /** Unix milliseconds; from then on it grants nothing. */
  readonly until: number;
  /** Ids of outputs; `undefined` for all of the session. */
  readonly outputs: readonly string[] | undefined;
}

/** Why a text is no token of these keys. */
export type TokenFault = "malformed" | "unknown-key" | "wrong-signature";

/** A token names at most so many outputs. */
export const MAX_GRANTED_OUTPUTS = 100;
/** Longer than any token, in UTF-16 code units; what is longer is not looked at. */
const MAX_TOKEN_CHARACTERS = 8192;
const VERSION = "lrog1";

const id = z.string().regex(ARTIFACT_ID_PATTERN);
const scope = z.string().length(64);
const signedTerms = z.tuple([id, scope, scope, z.number(), z.array(id).nullable()]);

/** The token of a grant: `lrog1.{key id}.{terms}.{signature}`, in letters, digits, `_`, `-` and three dots. */
export function signToken(
  { grantId, from, to, until, outputs }: GrantTerms,
  signing: GrantKey,
): string {
  const terms = JSON.stringify([grantId, from, to, until, outputs ?? null]);
  const signed = `${VERSION}.${signing.id}.${Buffer.from(terms).toString("base64url")}`;
  return `${signed}.${signing.sign(signed)}`;
}

/**
 * What a token says, or why it is none. Nothing of it but its key's id is read before the signature is known to be
 * right, which is compared as text: one that decodes to the same bytes is another token.
 *
 * @param token - Whatever somebody passed.
 */
export function readToken(token: unknown, keys: readonly GrantKey[]): GrantTerms | TokenFault {
  if (typeof token !== "string" || token.length > MAX_TOKEN_CHARACTERS) return "malformed";
  const parts = token.split(".");
  const [version, keyId, terms = "", signature = ""] = parts;
  if (parts.length !== 4 || version !== VERSION) return "malformed";
  const signing = keys.find((one) => one.id === keyId);
  if (signing === undefined) return "unknown-key";
  const expected = signing.sign(`${VERSION}.${signing.id}.${terms}`);
  if (!isSame(signature, expected)) return "wrong-signature";
  const [grantId, from, to, until, outputs] = signedTerms.parse(
    JSON.parse(Buffer.from(terms, "base64url").toString()),
  );
  return { grantId, from, to, until, outputs: outputs ?? undefined };
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
