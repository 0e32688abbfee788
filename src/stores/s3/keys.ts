import { ARTIFACT_ID_PATTERN } from "../../core/store/naming.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";

/** An artifact as its key names it. */
export interface ArtifactName {
  readonly id: string;
  readonly scope: string;
}

/** An artifact whose time is over at `expiresAt`, in Unix milliseconds, and the key that says so. */
export interface ExpiryName extends ArtifactName {
  readonly key: string;
  readonly expiresAt: number;
}

/** The keys of a store: one object an artifact, and an empty one that tells when it expires. */
export interface S3Keys {
  readonly expiryPrefix: string;
  sessionPrefix(scope: string): string;
  artifact(name: ArtifactName): string;
  expiry(artifact: Pick<NewArtifact, "id" | "scope" | "expiresAt">): string;
  /** The id in a session's key, `undefined` for a key that is not ours. */
  idOf(key: string, scope: string): string | undefined;
  expiryOf(key: string): ExpiryName | undefined;
}

const EXPIRY_DIGITS = 16;
const EXPIRY_PATTERN = /^(\d{16})\/([0-9a-f]{64})\/([^/]+)$/;

/** A time in Unix milliseconds as a part of a key, padded, so that keys sort by time. */
function timeKey(timeMs: number): string {
  const wholeMs = Math.min(Math.max(Math.ceil(timeMs), 0), Number.MAX_SAFE_INTEGER);
  return String(wholeMs).padStart(EXPIRY_DIGITS, "0");
}

/** Makes the keys below a prefix. They have letters, digits, `_`, `-`, `.` and `/` only. */
export function s3Keys(prefix: string): S3Keys {
  const expiryPrefix = `${prefix}/expiry/`;
  const sessionPrefix = (scope: string): string => `${prefix}/artifact/${scope}/`;
  return {
    expiryPrefix,
    sessionPrefix,
    artifact: ({ id, scope }) => sessionPrefix(scope) + id,
    expiry: ({ id, scope, expiresAt }) => `${expiryPrefix}${timeKey(expiresAt)}/${scope}/${id}`,
    idOf: (key, scope) => {
      const start = sessionPrefix(scope);
      const id = key.slice(start.length);
      return key.startsWith(start) && ARTIFACT_ID_PATTERN.test(id) ? id : undefined;
    },
    expiryOf: (key) => {
      if (!key.startsWith(expiryPrefix)) return undefined;
      const [, expiresAt, scope, id] = EXPIRY_PATTERN.exec(key.slice(expiryPrefix.length)) ?? [];
      if (scope === undefined || id === undefined || !ARTIFACT_ID_PATTERN.test(id)) {
        return undefined;
      }
      return { key, id, scope, expiresAt: Number(expiresAt) };
    },
  };
}
