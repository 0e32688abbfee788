import type { ArtifactStore, ByteRange, NewArtifact } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { newArtifactId, sessionKeyOf } from "../../core/store/naming.js";
import { OffloadError } from "../../core/types/errors.js";

/** Unix milliseconds. */
export const CONTRACT_START_MS: number = 1_900_000_000_000;
export const CONTRACT_TTL_MS: number = 3_600_000;
export const CONTRACT_SESSION: string = sessionKeyOf("session one");

export function contractArtifact(
  sizeBytes: number,
  changes: Partial<NewArtifact> = {},
): NewArtifact {
  const createdAt = changes.createdAt ?? CONTRACT_START_MS;
  const id = changes.id ?? newArtifactId(createdAt);
  return {
    id,
    fileName: `atlatl-recall-${id}.jsonl`,
    kind: "json-array",
    layout: "records",
    toolName: "recall_memories",
    operation: "recall",
    args: { query: "caching \u{1F600} \u{20000}", limit: 9007199254740991, nested: { none: null } },
    detail: "light",
    sizeBytes,
    headerBytes: 0,
    lineCount: 1,
    recordCount: 1,
    tokens: 2000,
    tokensExact: true,
    recipes: [
      {
        description: "By tag",
        filter: "select(.tags | index($tag))",
        slurp: false,
        raw: true,
        params: { tag: "architecture" },
      },
    ],
    fields: ["id", "title"],
    createdAt,
    expiresAt: createdAt + CONTRACT_TTL_MS,
    sessionKey: CONTRACT_SESSION,
    ...changes,
  };
}

export function patternBytes(sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 1) bytes[index] = index * 31 + (index >> 8);
  return bytes;
}

export function* pieces(body: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += pieceBytes) {
    yield body.slice(start, start + pieceBytes);
  }
}

export function rejectionCode(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "resolved",
    (error: unknown) => (OffloadError.isInstance(error) ? error.code : "other error"),
  );
}

/** The test runner's functions: vitest's or jest's as they are, or thin wrappers of another's. */
export interface StoreContractTools {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => { toEqual(expected: unknown): unknown };
}

/** A store for one test, empty and independent of every other. */
interface StoreUnderTest {
  readonly store: ArtifactStore;
  /** Called after the test, even if it failed. */
  readonly cleanup: () => Promise<void>;
}

/** Creates the store of one test. The store takes the time from `clock`, which the tests move. */
export type StoreFactory = (clock: { readonly now: () => number }) => Promise<StoreUnderTest>;

interface CaseContext extends StoreUnderTest {
  readonly clock: { nowMs: number };
  readonly same: (found: unknown, expected: unknown) => void;
  /** The code of its rejection, or `resolved`. */
  readonly ends: (promise: Promise<unknown>, code: string) => Promise<void>;
  readonly stat: (artifact: NewArtifact) => Promise<StoredArtifact | undefined>;
  /** It expects these bytes of an artifact; `lists` these artifacts, and no other, in the session. */
  readonly reads: (artifact: StoredArtifact, body: Uint8Array, range?: ByteRange) => Promise<void>;
  readonly lists: (...artifacts: readonly StoredArtifact[]) => Promise<void>;
}

export type ContractCases = Readonly<Record<string, (context: CaseContext) => Promise<void>>>;
