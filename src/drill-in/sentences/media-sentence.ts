import { mediaWords } from "../../content/media/media-words.js";
import { REFERENCE_MARK } from "../../describe/references.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInToolNames } from "../../types/result.js";

/** Why an output cannot be read as text or records, and what can be done with it; `undefined` for one that can. */
export function noTextSentence(
  { media, kind, fileName, sizeBytes }: StoredArtifact,
  { view }: DrillInToolNames,
): string | undefined {
  if (media === undefined || kind !== "binary") return undefined;
  const show =
    view === undefined || media.kind === "file"
      ? ""
      : ` ${view} ${JSON.stringify({ id: fileName })} shows it to you.`;
  return `${fileName} is ${mediaWords(media, sizeBytes)}: no text and no records, so it cannot be read, searched or queried.${show} ${byReference(fileName)} Text in it takes a tool that gets it out.`;
}

/** How a file goes to another tool. */
export function byReference(fileName: string): string {
  return `Pass ${JSON.stringify({ [REFERENCE_MARK]: fileName })} to a tool that takes the file, if you have one.`;
}
