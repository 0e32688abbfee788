import type { DrillInContext } from "../drill-in/shared/context.js";
import { findArtifact } from "../drill-in/shared/find-artifact.js";
import { toldFault } from "../drill-in/shared/told-fault.js";
import { emit, type OffloadListener } from "../events.js";
import type { Access } from "../types/access.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Reference } from "./reference.js";
import { type ReferenceValue, referenceValue } from "./reference-value.js";

/** Where the data of a reference go. */
interface ReferenceUse {
  readonly toolName: string;
  readonly parameter: string;
  /** Largest data, as stored or as JSON. */
  readonly maxBytes: number;
  /** Where else an output is looked for. */
  readonly access?: Access | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a reference stands for and whose it is, or the sentence that says why there is nothing. */
type ResolvedReference = ReferenceValue & { readonly storedArtifact?: StoredArtifact };

/**
 * The data of a reference, for a tool and not for the model. What is wrong is a sentence. Rejects only with the
 * signal's reason when it aborts.
 *
 * @param scope - The hashed session.
 */
export type ResolveReference = (
  reference: Reference,
  scope: string,
  use: ReferenceUse,
) => Promise<ResolvedReference>;

/**
 * References over what the drill-ins work with.
 *
 * @param notify - Told of every reference that was looked up; what it throws is ignored.
 */
export function createResolver(
  context: DrillInContext,
  notify?: OffloadListener,
): ResolveReference {
  return async (reference, scope, use) => {
    const startedAt = performance.now();
    const resolved = await resolve(context, reference, scope, use);
    emit(notify, {
      type: "referenced",
      toolName: use.toolName,
      parameter: use.parameter,
      artifactId: resolved.storedArtifact?.id,
      scope,
      sizeBytes: resolved.problem === undefined ? resolved.sizeBytes : 0,
      failed: resolved.problem !== undefined,
      durationMs: performance.now() - startedAt,
    });
    return resolved;
  };
}

async function resolve(
  context: DrillInContext,
  reference: Reference,
  scope: string,
  { maxBytes, access, signal }: ReferenceUse,
): Promise<ResolvedReference> {
  const read: StoredArtifact[] = [];
  try {
    const request = { reference: reference.output, scope, access, nowMs: context.now() };
    const { storedArtifact, problem } = await findArtifact(context.store, context.seen, request);
    if (storedArtifact === undefined) return { problem };
    read.push(storedArtifact);
    const value = await referenceValue(context, storedArtifact, reference, maxBytes, signal);
    return { ...value, storedArtifact };
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: await toldFault(context, error, read) };
  }
}
