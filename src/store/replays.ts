import { createHash } from "node:crypto";

import type { Descriptor, StoredArtifact, ToolOutput } from "../types.js";
import type { ArtifactStore } from "./artifact-store.js";
import { scopeOf } from "./naming.js";
import { keepLatest } from "../lifecycle/keep-latest.js";

/** What a large output became. */
export interface AnsweredCall {
  readonly storedArtifact: StoredArtifact;
  readonly descriptor: Descriptor;
}

/** A tool call and what it returned. */
export interface ReturnedOutput {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId" | "args" | "sessionId">;
  /** The bytes to store, without a header line: how many, and their SHA-256 in hex. */
  readonly bodyBytes: number;
  readonly digest: string;
  /** The form that was asked for, when one was. */
  readonly form: string | undefined;
}

/** Tool calls that were answered lately. */
export interface Replays {
  /**
   * What the same call became before, or is about to become; otherwise what `make` gives. A call
   * without an id can be told from no other, so `make` is always called for it.
   *
   * @throws whatever `make` throws, which is not kept.
   */
  once(output: ReturnedOutput, make: () => Promise<AnsweredCall>): Promise<AnsweredCall>;
  /** Drops what a scope's calls became. */
  forget(scope: string): void;
}

interface Kept {
  readonly scope: string;
  readonly answered: Promise<AnsweredCall>;
}

/** Calls that are remembered; the one not used for longest goes first. */
const MAX_CALLS = 256;

/** Bytes that are read at a time. */
const BLOCK_BYTES = 1_048_576;

/**
 * Creates a memory of the latest 256 offloaded calls, so that a call which runs again with the same
 * output, as after an interrupt, gives the same artifact and not a second copy. It is this process's
 * only: after a restart such a call is stored anew.
 */
export function createReplays(store: Pick<ArtifactStore, "stat" | "read">): Replays {
  const calls = new Map<string, Kept>();

  /** What a call became, if that is still there and holds these bytes. */
  async function found(kept: Kept, output: ReturnedOutput): Promise<AnsweredCall | undefined> {
    try {
      const answered = await kept.answered;
      return (await holds(store, answered.storedArtifact, output)) ? answered : undefined;
    } catch {
      // Neither a failed try nor a store that is silent now is a reason to lose the output.
      return undefined;
    }
  }

  async function once(
    output: ReturnedOutput,
    make: () => Promise<AnsweredCall>,
  ): Promise<AnsweredCall> {
    const key = keyOf(output);
    if (key === undefined) return await make();
    const kept = calls.get(key);
    const before = kept && (await found(kept, output));
    if (kept !== undefined && before !== undefined) {
      keepLatest(calls, key, kept, MAX_CALLS);
      return before;
    }
    const answered = make();
    const scope = scopeOf(output.output.sessionId);
    keepLatest(calls, key, { scope, answered }, MAX_CALLS);
    try {
      return await answered;
    } catch (error) {
      if (calls.get(key)?.answered === answered) calls.delete(key);
      throw error;
    }
  }

  return {
    once,
    forget(scope) {
      for (const [key, kept] of calls) {
        if (kept.scope === scope) calls.delete(key);
      }
    },
  };
}

/** Whether an artifact is still stored and its body is these bytes. Costs nothing but on a replay. */
async function holds(
  store: Pick<ArtifactStore, "stat" | "read">,
  { id, scope }: StoredArtifact,
  { bodyBytes, digest }: ReturnedOutput,
): Promise<boolean> {
  const artifact = await store.stat(id, scope);
  if (artifact === undefined) return false;
  const { headerBytes, sizeBytes } = artifact;
  if (sizeBytes - headerBytes !== bodyBytes) return false;
  const hash = createHash("sha256");
  for (let start = headerBytes; start < sizeBytes; start += BLOCK_BYTES) {
    const end = Math.min(sizeBytes, start + BLOCK_BYTES);
    hash.update(await store.read(artifact, { start, end }));
  }
  return hash.digest("hex") === digest;
}

/**
 * SHA-256 over all that decides on an artifact and its descriptor but the data. The parts are one
 * JSON list, so that no id can pass for another part; `undefined` without an id, and for
 * arguments that are no JSON.
 */
function keyOf({ output, form }: ReturnedOutput): string | undefined {
  const { toolName, toolCallId, args, sessionId } = output;
  if (toolCallId === undefined || toolCallId === "") return undefined;
  try {
    const parts = [scopeOf(sessionId), toolCallId, toolName, args ?? null, form ?? null];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  } catch {
    return undefined;
  }
}
