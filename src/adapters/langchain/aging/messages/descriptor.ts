import type { ToolMessage } from "@langchain/core/messages";

import { ARTIFACT_ID_PATTERN, isArtifactFileName } from "../../../../core/store/naming.js";
import type { CarriedArtifact } from "../../../../core/types/artifact.js";
import { carried, isStoredArtifact } from "../../run/carried.js";

/** Every form of the usual descriptors begins with this. */
const BEGINNING = '{"offloaded":true';
/** A descriptor is no longer, in UTF-16 units. */
const MAX_CHARACTERS = 32_768;

/**
 * The stored output of which a message is the descriptor and nothing else, so that there is nothing to store; `undefined` for any
 * other message.
 */
export function describedArtifact({ content, artifact }: ToolMessage): CarriedArtifact | undefined {
  const [only, more] = carried(artifact);
  if (more !== undefined || !isStoredArtifact(only) || typeof content !== "string") {
    return undefined;
  }
  // A tool may have put there what it likes.
  if (!ARTIFACT_ID_PATTERN.test(only.id) || !isArtifactFileName(only.fileName, only.id)) {
    return undefined;
  }
  if (!Number.isFinite(only.tokens)) return undefined;
  const isDescriptor =
    content.startsWith(BEGINNING) && content.length <= MAX_CHARACTERS && content.includes(only.id);
  return isDescriptor ? only : undefined;
}
