import type { StoredArtifact } from "../../core/types/artifact.js";
import type { MediaKind, StoredMedia } from "../../core/types/media.js";
import type { DrillInToolNames } from "../../core/types/result.js";
import { safeJson } from "../../util/safe-text.js";
import type { Describer } from "../../core/describe/describer.js";
import { isShown, mediaWords, type ViewLimits } from "../../core/content/media/shown-media.js";

const ANY_KIND: readonly MediaKind[] = ["image", "audio", "video", "pdf"];

export function mediaDescriber(limits: ViewLimits): Describer {
  return async ({ storedArtifact: artifact, tools, parts = [], count }) => {
    const { media, sizeBytes, kind, title } = artifact;
    const said: StoredMedia = media ?? { kind: "file", type: "application/octet-stream" };
    const own = kind === "binary" ? viewSentence(artifact, tools, limits) : readSentence(tools);
    const uses = [own, ...parts.map(({ guidance }) => guidance ?? "")].filter((one) => one !== "");
    const text = safeJson({
      offloaded: true,
      summary: mediaWords(said, sizeBytes),
      ...(title !== undefined && { title }),
      ...(said.name !== undefined && { name: said.name }),
      file_path: artifact.filePath ?? artifact.id,
      guidance: uses.length === 0 ? "It is stored as it came." : uses.join(" "),
    });
    return { form: "media", text, tokens: await count(text) };
  };
}

function viewSentence(
  artifact: StoredArtifact,
  { view }: DrillInToolNames,
  limits: ViewLimits,
): string {
  if (view === undefined) return "";
  return isShown(artifact, limits, ANY_KIND)
    ? `${view}(id=file_path) shows it to you.`
    : "It is stored as it came, and cannot be shown.";
}

function readSentence({ read, grep }: DrillInToolNames): string {
  const names = [read, grep].filter((name) => name !== undefined);
  return names.length === 0 ? "" : `It is text: ${names.join(" and ")} (id=file_path) read it.`;
}
