import { mediaTokens } from "../../content/media/media-tokens.js";
import { mediaWords } from "../../content/media/media-words.js";
import { givenBy, isWholeImage, refusedBy } from "../../content/media/viewable.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { MediaKind } from "../../types/media.js";
import type { RunningCall } from "../../types/running-call.js";
import { byReference } from "../sentences/media-sentence.js";
import { type PartialAnswer, sentenceAnswer } from "../shared/answer/answer.js";
import type { DrillInContext } from "../shared/context.js";

/**
 * Shows a file to the model as it is: the answer says what it is, and carries the bytes for whoever makes a block of them. What the
 * model is not given, or its provider would refuse, is a sentence.
 *
 * @throws whatever the store throws
 */
export async function viewMedia(
  context: DrillInContext,
  artifact: StoredArtifact,
  call: RunningCall,
): Promise<PartialAnswer> {
  const { media, sizeBytes, fileName, kind } = artifact;
  const { store, measure, names, media: limits } = context;
  const taken = call.views;
  const tell = (sentence: string): Promise<PartialAnswer> =>
    sentenceAnswer(measure, context.limits.maxOutputTokens, sentence, true);
  if (media === undefined || kind !== "binary") {
    const read = names.read === undefined ? "" : ` Use ${names.read}.`;
    return await tell(`${fileName} is text, which is read and not shown.${read}`);
  }
  const words = mediaWords(media, sizeBytes);
  const refuse = (reason: string): Promise<PartialAnswer> =>
    tell(
      [
        `${fileName} is not shown: ${reason}.`,
        `It is ${words}.`,
        ...byReference(fileName, context, call),
      ].join(" "),
    );
  const refused = refusedBy(artifact);
  if (refused !== undefined) return await refuse(refused);
  const given = limits === undefined ? [] : givenBy(limits, taken);
  if (!given.includes(media.kind)) return await refuse(notTaken(media.kind, taken));
  const bytes = await store.read(artifact);
  if (media.kind === "image" && !isWholeImage(bytes, media.type)) {
    return await refuse("the image is cut off or damaged");
  }
  const name = media.name === undefined ? "" : ` ${JSON.stringify(media.name)}`;
  const answer = await sentenceAnswer(
    measure,
    context.limits.maxOutputTokens,
    `${words}${name}:`,
    false,
  );
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  const shown = {
    kind: media.kind,
    type: media.type,
    base64,
    name: fileName,
    tokens: mediaTokens(media),
  };
  return { ...answer, shown };
}

function notTaken(kind: MediaKind, taken: readonly MediaKind[] | undefined): string {
  const what = kind === "pdf" ? "PDF files" : kind === "image" ? "images" : kind;
  return taken === undefined
    ? `it is not known whether this model takes ${what} (the application can say so: media.views)`
    : `this model is not given ${what} (the application can change it: media.views)`;
}
