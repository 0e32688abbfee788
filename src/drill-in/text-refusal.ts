import type { DrillInToolNames, StoredArtifact } from "../types.js";

/**
 * Why plain text is nothing for an engine, with the tools that are for it.
 *
 * @param what - What it is not, such as `and no table`.
 */
export function textRefusal(
  { grep, read }: DrillInToolNames,
  { fileName, kind }: StoredArtifact,
  what: string,
): string {
  const others = [grep, read].filter((name) => name !== undefined);
  const instead = others.length === 0 ? "" : ` Use ${others.join(" or ")}.`;
  return `${fileName} is plain text (${kind})${what}.${instead}`;
}
