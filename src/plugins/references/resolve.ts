import type { DrillInContext } from "../../core/drill-in/context.js";
import { findIn } from "../../core/drill-in/find.js";
import { toldFault } from "../../core/drill-in/find.js";
import { emit, type OffloadListener } from "../../core/types/events.js";
import type { RunningCall } from "../../core/types/running-call.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Reference } from "./reference.js";
import { type ReferenceValue, referenceValue } from "./reference-value.js";

/** Where the data of a reference go. */
interface ReferenceUse {
  readonly toolName: string;
  readonly parameter: string;
  /** Largest data, as stored or as JSON. */
  readonly maxBytes: number;
  /** Why the data of what was found are not to be read. */
  readonly refuse?: ((artifact: StoredArtifact) => string | undefined) | undefined;
}

/** What a reference stands for and whose it is, or the sentence that says why there is nothing. */
type ResolvedReference = ReferenceValue & { readonly storedArtifact?: StoredArtifact };

/**
 * The data of a reference, for a tool and not for the model. What is wrong is a sentence. Rejects only with the
 * reason of the call's signal when it aborts.
 */
export type ResolveReference = (
  reference: Reference,
  call: RunningCall,
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
  return async (reference, call, use) => {
    const startedAt = performance.now();
    const resolved = await resolve(context, reference, call, use);
    emit(notify, {
      type: "referenced",
      toolName: use.toolName,
      parameter: use.parameter,
      artifactId: resolved.storedArtifact?.id,
      scope: call.scope,
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
  call: RunningCall,
  { maxBytes, refuse }: ReferenceUse,
): Promise<ResolvedReference> {
  const read: StoredArtifact[] = [];
  const { signal } = call;
  try {
    const { storedArtifact, problem } = await findIn(context, call)(reference.output);
    if (storedArtifact === undefined) return { problem };
    const refused = refuse?.(storedArtifact);
    if (refused !== undefined) return { problem: refused, storedArtifact };
    read.push(storedArtifact);
    const value = await referenceValue(context, storedArtifact, reference, maxBytes, signal);
    return { ...value, storedArtifact };
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: await toldFault(context, error, read) };
  }
}
