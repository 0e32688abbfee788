import { createHash } from "node:crypto";

import type { StoredArtifact } from "../types/artifact.js";
import type { ToolOutput } from "../types/output.js";
import type { Descriptor } from "../types/result.js";
import type { Lifetime } from "../store/lifetime.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { keptArgs, keptTags } from "../store/new-artifact.js";
import { keepLatest } from "../../util/keep-latest.js";

export interface Kept {
  readonly storedArtifact: StoredArtifact;
  readonly descriptor: Descriptor;
}

export interface ReturnedOutput {
  readonly output: Pick<ToolOutput, "toolName" | "args" | "title" | "derivedFrom" | "tags">;
  readonly sessionKey: string;
  /** Of the output as it came; equal bodies may have had other white space. */
  readonly tokens: number;
  readonly bodyBytes: number;
  readonly fingerprint: string;
  /** Computed only for a likely repetition. */
  readonly digest: () => Promise<string>;
  readonly form: string | undefined;
  /** Of a new artifact, in Unix milliseconds. */
  readonly expiresAt: number;
  readonly ttlMs: number;
}

export interface RepeatedOutputs {
  /**
   * Reuses the artifact of an equal output with a new lifetime, or, if its store cannot refresh, in the first half of
   * its life; otherwise calls `make`. {@link Lifetime.stored} must follow.
   *
   * @throws Errors of `make`.
   */
  reuse(output: ReturnedOutput, make: () => Promise<Kept | undefined>): Promise<Kept | undefined>;
  readonly forget: (sessionKey: string) => void;
}

type Remembered = Promise<Kept | undefined>;
type Store = Pick<ArtifactStore, "stat" | "read" | "refresh">;

const MAX_OUTPUTS = 256;
const BLOCK_BYTES = 1_048_576;

/** Remembers 256 outputs of this process, for example for calls repeated after an interrupt. */
export function createRepeatedOutputs(
  store: Store,
  lifetime: Pick<Lifetime, "coming" | "gone">,
): RepeatedOutputs {
  const outputs = new Map<string, Remembered>();

  /** `undefined` if it cannot be used again; then the output is stored again. */
  async function found(remembered: Remembered, output: ReturnedOutput): Promise<Kept | undefined> {
    const kept = await remembered.catch(() => undefined);
    const id = kept?.storedArtifact.id;
    if (kept === undefined || id === undefined || !lifetime.coming(id)) return undefined;
    const stored = await prolonged(store, kept.storedArtifact, output).catch(() => undefined);
    if (stored === undefined) lifetime.gone(id);
    return stored && { ...kept, storedArtifact: stored };
  }

  return {
    async reuse(output, make) {
      const key = keyOf(output);
      const before = outputs.get(key);
      // One after another: another call may be storing it.
      const made = (async () => (before && (await found(before, output))) ?? (await make()))();
      keepLatest(outputs, key, made, MAX_OUTPUTS);
      let kept: Kept | undefined;
      try {
        kept = await made;
        return kept;
      } finally {
        if (kept === undefined && outputs.get(key) === made) outputs.delete(key);
      }
    },
    forget(sessionKey) {
      for (const key of outputs.keys()) if (key.startsWith(`${sessionKey} `)) outputs.delete(key);
    },
  };
}

/** `undefined` if the artifact is gone, has other bytes or expires soon. */
async function prolonged(
  store: Store,
  { id, sessionKey }: StoredArtifact,
  output: ReturnedOutput,
): Promise<StoredArtifact | undefined> {
  const { expiresAt, ttlMs } = output;
  const artifact = await store.stat(id, sessionKey);
  if (artifact === undefined || !(await hasBody(store, artifact, output))) return undefined;
  if (artifact.expiresAt >= expiresAt) return artifact;
  const isMoved = await store.refresh?.(id, sessionKey, expiresAt);
  if (isMoved === true) return { ...artifact, expiresAt };
  // Another call or process may have refreshed or deleted it.
  const left = isMoved === undefined ? artifact : await store.stat(id, sessionKey);
  return left !== undefined && left.expiresAt >= expiresAt - ttlMs / 2 ? left : undefined;
}

async function hasBody(
  store: Store,
  artifact: StoredArtifact,
  { bodyBytes, digest }: ReturnedOutput,
): Promise<boolean> {
  const { headerBytes, sizeBytes } = artifact;
  if (sizeBytes - headerBytes !== bodyBytes) return false;
  const hash = createHash("sha256");
  for (let start = headerBytes; start < sizeBytes; start += BLOCK_BYTES) {
    const end = Math.min(sizeBytes, start + BLOCK_BYTES);
    hash.update(await store.read(artifact, { start, end }));
  }
  return hash.digest("hex") === (await digest());
}

/** Everything that determines an artifact and its descriptor. */
function keyOf({
  output,
  sessionKey,
  tokens,
  fingerprint,
  bodyBytes,
  form,
  ttlMs,
}: ReturnedOutput): string {
  const { toolName, args, title, derivedFrom = [], tags } = output;
  // Long arguments are not kept, but these are told.
  const asked = keptArgs(args) ?? [args?.["query"], args?.["detail"]].map(String);
  const told = [toolName, asked, keptTags(tags), form, title, derivedFrom, ttlMs];
  const parts = JSON.stringify([...told, tokens, bodyBytes, fingerprint]);
  return `${sessionKey} ${createHash("sha256").update(parts).digest("hex")}`;
}
