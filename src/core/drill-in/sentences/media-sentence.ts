import { mediaWords } from "../../content/media/shown-media.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInContext } from "../shared/context.js";

/** Why an output cannot be read as text or records, and what can be done with it; `undefined` for one that can. */
export function noTextSentence(
  artifact: StoredArtifact,
  context: DrillInContext,
): string | undefined {
  const { media, kind, fileName, sizeBytes } = artifact;
  if (media === undefined || kind !== "binary") return undefined;
  const { view } = context.names;
  return [
    `${fileName} is ${mediaWords(media, sizeBytes)}: no text and no records, so it cannot be read, searched or queried.`,
    ...(view !== undefined ? [`${view} ${JSON.stringify({ id: fileName })} shows it to you.`] : []),
    "Text in it takes a tool that gets it out.",
  ].join(" ");
}
