import { isMemory } from "./memory-schema.js";

/** Memories of one set that are looked at: the first ones. */
const MAX_LOOKED_AT = 16;

/**
 * The whole result set of a tool that shows the model only what fits a budget: JSON text of the memories
 * in LangChain's `ToolMessage.artifact` (`responseFormat: "content_and_artifact"`), whether an array of
 * memories, of search hits, or an object with either as `memories`. It is what the threshold is
 * compared with and what is stored, in place of the formatted text; a set that stays inline leaves
 * that text as it is. `undefined` for any other artifact. Never throws.
 *
 * @source LRO specification, Integration with inject_context.
 */
export function preBudgetSet(artifact: unknown): string | undefined {
  try {
    if (!isMemorySet(artifact)) return undefined;
    return JSON.stringify(artifact);
  } catch {
    // A cycle, a BigInt, or a getter that throws: the message's own content is still there.
    return undefined;
  }
}

function isMemorySet(artifact: unknown): boolean {
  const set: unknown =
    typeof artifact === "object" && artifact !== null && "memories" in artifact
      ? artifact.memories
      : artifact;
  return Array.isArray(set) && set.length > 0 && set.slice(0, MAX_LOOKED_AT).every(isMemoryOrHit);
}

function isMemoryOrHit(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  return isMemory("memory" in item ? item.memory : item);
}
