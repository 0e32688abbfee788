import { mediaWords } from "../../content/media/media-words.js";
import { REFERENCE_MARK } from "../../describe/references.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { RunningCall } from "../../types/running-call.js";
import type { DrillInContext } from "../shared/context.js";

/** Why an output cannot be read as text or records, and what can be done with it; `undefined` for one that can. */
export function noTextSentence(
  artifact: StoredArtifact,
  context: DrillInContext,
  call: RunningCall,
): string | undefined {
  const { media, kind, fileName, sizeBytes } = artifact;
  if (media === undefined || kind !== "binary") return undefined;
  const { view } = context.names;
  return [
    `${fileName} is ${mediaWords(media, sizeBytes)}: no text and no records, so it cannot be read, searched or queried.`,
    ...(view !== undefined ? [`${view} ${JSON.stringify({ id: fileName })} shows it to you.`] : []),
    ...byReference(fileName, context, call),
    "Text in it takes a tool that gets it out.",
  ].join(" ");
}

/** How a file goes to another tool; nothing where no tool takes references. */
export function byReference(
  fileName: string,
  { takesReferences }: DrillInContext,
  { scope }: RunningCall,
): readonly string[] {
  const reference = JSON.stringify({ [REFERENCE_MARK]: fileName });
  return takesReferences?.(scope) === true
    ? [`Pass ${reference} to a tool that takes the file, if you have one.`]
    : [];
}
