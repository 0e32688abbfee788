import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInToolNames } from "../../types/result.js";

/**
 * Why plain text is nothing for an engine, with the tools that are for it.
 *
 * @param what - What it is not, such as `and no table`.
 */
export function textRefusal(
  names: DrillInToolNames,
  { fileName, kind }: StoredArtifact,
  what: string,
): string {
  return `${fileName} is plain text (${kind})${what}.${insteadOf(names)}`;
}

/** The tools that take every output, as a sentence after another one; empty when there are none. */
export function insteadOf({ grep, read }: DrillInToolNames): string {
  const tools = [grep, read].filter((name) => name !== undefined);
  return tools.length === 0 ? "" : ` Use ${tools.join(" or ")}.`;
}
