import type { StoredArtifact } from "../../types/artifact.js";
import type { StoredMedia } from "../../types/media.js";
import type { Descriptor, DrillInToolNames } from "../../types/result.js";
import { safeJson } from "../../util/safe-text.js";
import type { DescriberInput } from "../describer.js";
import { isAuto, REFERENCE_MARK, type ReferenceOptions, toolsNamedIn } from "../references.js";
import { mediaWords } from "../../content/media/media-words.js";

/** Writes what stands for an image, a sound, a document or another file: what it is, and what can be done with it. */
export async function describeMedia(input: DescriberInput): Promise<Descriptor> {
  const { storedArtifact, tools, references, count } = input;
  const text = mediaDescriptor(storedArtifact, tools, references);
  return { form: "media", text, tokens: await count(text) };
}

function mediaDescriptor(
  artifact: StoredArtifact,
  tools: DrillInToolNames,
  references: ReferenceOptions | undefined,
): string {
  const { media, sizeBytes, kind, title } = artifact;
  const said: StoredMedia = media ?? { kind: "file", type: "application/octet-stream" };
  const uses = [
    ...(kind === "binary" ? viewSentence(said, tools) : readSentence(tools)),
    ...(takes(references)
      ? [`{"${REFERENCE_MARK}": file_path} passes it to a tool that takes it, in base64.`]
      : []),
  ];
  return safeJson({
    offloaded: true,
    summary: mediaWords(said, sizeBytes),
    ...(title !== undefined && { title }),
    ...(said.name !== undefined && { name: said.name }),
    file_path: artifact.filePath ?? artifact.id,
    guidance: uses.length === 0 ? "It is stored as it came." : uses.join(" "),
  });
}

function viewSentence({ kind }: StoredMedia, { view }: DrillInToolNames): string[] {
  if (view === undefined) return [];
  return kind === "file"
    ? ["It is stored as it came, and cannot be shown."]
    : [`${view}(id=file_path) shows it to you.`];
}

function readSentence({ read, grep }: DrillInToolNames): string[] {
  const names = [read, grep].filter((name) => name !== undefined);
  return names.length === 0 ? [] : [`It is text: ${names.join(" and ")} (id=file_path) read it.`];
}

function takes(references: ReferenceOptions | undefined): boolean {
  return references === true || isAuto(references) || toolsNamedIn(references).length > 0;
}
