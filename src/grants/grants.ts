import { OffloadError } from "../errors.js";
import type { OffloadListener } from "../events.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { newArtifactId } from "../store/naming.js";
import type { GrantEvent } from "../types/grant-event.js";
import type { GrantKey } from "./grant-options.js";
import { deleteRecord, hasRecord, writeRecord } from "./record.js";
import { checkRequest, type GrantRequest } from "./request.js";
import { type GrantTerms, readToken, signToken } from "./token.js";

/** A session that lets another one read an output. */
interface Grant {
  /** The session that grants, hashed. */
  readonly scope: string;
  /** Tells that the output was found there. */
  readonly used: () => void;
}

/** Who lets a call look for an output of this id in a session of theirs. @throws what the store throws */
export type GrantsOf = (artifactId: string) => Promise<readonly Grant[]>;

/** What one session grants to another. */
export interface Grants {
  readonly grantTo: (request: GrantRequest) => Promise<string>;
  readonly revoke: (token: string) => Promise<boolean>;
  /**
   * What tokens grant to a session; `undefined` when they are no list, or nothing is set up.
   *
   * @param tokens - What somebody passed, unchecked; the first 16 count.
   * @param to - The hashed session.
   */
  readonly grantsOf: (tokens: unknown, to: string) => GrantsOf | undefined;
}

/** What {@link createGrants} works with. */
export interface GrantSources {
  readonly store: ArtifactStore;
  /** The same, whose answers are waited for a bounded time. */
  readonly reading: Pick<ArtifactStore, "stat">;
  /** The first signs; `undefined` where grants are not set up. */
  readonly keys: readonly GrantKey[] | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How long a grant lasts by default, in milliseconds. */
  readonly ttlMs: number;
  readonly notify: OffloadListener;
  /** Called before a record is written, with its expiry. @throws what keeps it from being swept */
  readonly onRecord: (expiresAt: number) => void;
}

/** Tokens of one call that are looked at. */
const MAX_TOKENS = 16;

/** Makes, revokes and uses grants. */
export function createGrants(sources: GrantSources): Grants {
  const { store, reading, keys, now, notify } = sources;

  /** The terms of a token that lets this session look for this output now; else why it does not. */
  async function termsFor(
    token: unknown,
    { known, to, artifactId }: Wanted,
  ): Promise<GrantTerms | Refusal> {
    const terms = readToken(token, known);
    if (typeof terms === "string") return { reason: terms };
    const { grantId, outputs } = terms;
    if (terms.to !== to) return { grantId, reason: "other-session" };
    if (outputs?.includes(artifactId) === false) return { grantId, reason: "other-output" };
    if (terms.until <= now()) return { grantId, reason: "over" };
    return (await hasRecord(reading, grantId)) ? terms : { grantId, reason: "revoked" };
  }

  return {
    async grantTo(given) {
      const [signing] = neededKeys(keys, "grantTo");
      const createdAt = now();
      const { from, to, outputs, until } = checkRequest(given, createdAt, sources.ttlMs);
      const grantId = newArtifactId(createdAt);
      sources.onRecord(until);
      await writeRecord(store, grantId, { createdAt, expiresAt: until });
      notify({ type: "granted", grantId, scope: from, to, artifactIds: outputs, until });
      return signToken({ grantId, from, to, until, outputs }, signing);
    },
    async revoke(token) {
      const terms = readToken(token, neededKeys(keys, "revoke"));
      if (typeof terms === "string") return false;
      const { grantId, from } = terms;
      const wasThere = await deleteRecord(store, grantId);
      if (wasThere) notify({ type: "grant-revoked", grantId, scope: from });
      return wasThere;
    },
    grantsOf(tokens, to) {
      if (keys === undefined || !Array.isArray(tokens) || tokens.length === 0) return undefined;
      const looked: readonly unknown[] = tokens.slice(0, MAX_TOKENS);
      return async (artifactId) => {
        const found: Grant[] = [];
        const refusals: Refusal[] = [];
        for (const token of looked) {
          const terms = await termsFor(token, { known: keys, to, artifactId });
          if ("reason" in terms) {
            refusals.push(terms);
            continue;
          }
          const { grantId, from: scope } = terms;
          const used = (): void =>
            notify({ type: "grant-used", grantId, artifactId, scope: to, from: scope });
          found.push({ scope, used });
        }
        if (found.length === 0) notify({ type: "grant-refused", artifactId, scope: to, refusals });
        return found;
      };
    },
  };
}

interface Wanted {
  readonly known: readonly GrantKey[];
  readonly to: string;
  readonly artifactId: string;
}

type Refusal = Extract<GrantEvent, { type: "grant-refused" }>["refusals"][number];

function neededKeys(
  keys: readonly GrantKey[] | undefined,
  method: string,
): readonly [GrantKey, ...GrantKey[]] {
  const [first, ...others] = keys ?? [];
  if (first !== undefined) return [first, ...others];
  throw new OffloadError(
    "INVALID_OPTIONS",
    `${method}() needs keys that sign grants. Set the option \`grants: { keys: [{ id, secret }] }\`, with a secret of ` +
      "32 bytes or more that all machines share.",
  );
}
