import type { BaseMessage, ContentBlock, ToolMessage } from "@langchain/core/messages";
import * as z from "zod";

import type { AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { mediaTokens, mediaWords, shownTokens } from "../../core/content/media/shown-media.js";
import { refusedBy } from "./view-limits.js";
import { askOutput } from "../../core/drill-in/drill-in.js";
import type { OwnTool, Question } from "../../core/drill-in/context.js";
import type { OffloadError } from "../../core/types/errors.js";
import type { MediaKind } from "../../core/types/media.js";
import { type PartialAnswer, refusal, sentenceAnswer } from "../../core/drill-in/answer.js";
import { fieldOf } from "../../util/field-of.js";
import { asBuffer } from "../../util/text-encoding.js";

/** The kinds of files that the model of a session can be shown; `undefined` where that is not known. */
export type ViewsOf = (session: {
  readonly sessionKey: string;
}) => readonly MediaKind[] | undefined;

export function viewTool(viewsOf: ViewsOf): OwnTool {
  return {
    key: "view",
    description: "See a stored image, PDF or other media file.",
    schema: z.object({ id: z.string().describe("file_path or id") }),
    ask: (ask, context) =>
      askOutput("view", ask, context, {
        ofFiles: true,
        run: (question) => viewMedia(question, viewsOf(ask.call)),
      }),
  };
}

/**
 * The answer describes the file and carries its bytes. A file that the model cannot receive gets a sentence.
 * @throws whatever the store throws
 */
async function viewMedia(
  { context, artifact }: Question,
  views: readonly MediaKind[] | undefined,
): Promise<PartialAnswer> {
  const { media, sizeBytes, fileName, kind: stored } = artifact;
  const { store, measure, limits, names } = context;
  if (media === undefined || stored !== "binary") {
    const read = names.read === undefined ? "" : ` Use ${names.read}.`;
    throw refusal(`${fileName} is text, which is read and not shown.${read}`);
  }
  const { kind, type } = media;
  const words = mediaWords(media, sizeBytes);
  const notShown = (reason: string): OffloadError =>
    refusal(`${fileName} is not shown: ${reason}. It is ${words}.`);
  const refused = refusedBy(media, sizeBytes);
  if (refused !== undefined) throw notShown(refused);
  if (!views?.includes(kind))
    throw notShown(
      `this model is not given ${kind} files (the application can change it: media({ views }))`,
    );
  const bytes = await store.read(artifact);
  const answer = await sentenceAnswer(measure, limits.maxOutputTokens, `${words}:`, false);
  const base64 = asBuffer(bytes).toString("base64");
  const shown = { kind, type, base64, name: fileName, tokens: mediaTokens(media) };
  return { ...answer, shown };
}

const BELOW = "(The file is in the message below.)";

/**
 * Moves shown files into a user message after the tool messages of their turn, for a model that takes files only there,
 * and for OpenAI's package, which sends those of tool messages as text. Otherwise returns the same list.
 */
export async function withUserViews(
  messages: BaseMessage[],
  given: unknown,
  host: AgentHost,
): Promise<BaseMessage[]> {
  const { model, isOpenAi } = await host.openModel(given);
  const profile = fieldOf(model, "profile");
  const isMoved = (block: unknown): block is ContentBlock => {
    const type = fieldOf(block, "type");
    if (typeof type !== "string" || type === "text") return false;
    const kind = type === "file" ? "pdf" : type;
    return isOpenAi || fieldOf(profile, `${kind}ToolMessage`) !== true;
  };
  const shown: BaseMessage[] = [];
  const waiting: ContentBlock[] = [];
  for (const [place, message] of messages.entries()) {
    const { content } = message;
    const isShowing =
      isToolMessage(message) && shownTokens(message) !== undefined && Array.isArray(content);
    const files = isShowing ? content.filter(isMoved) : [];
    waiting.push(...files);
    if (!isShowing || files.length === 0) shown.push(message);
    else {
      const left = content.filter((block) => !isMoved(block));
      shown.push(host.withContent(message, [...left, { type: "text", text: BELOW }]));
    }
    // Nothing may stand between the answers to the calls of one turn.
    if (waiting.length > 0 && !isToolMessage(messages[place + 1]))
      shown.push(host.humanMessage(waiting.splice(0).map((block) => userBlock(block, isOpenAi))));
  }
  return shown.every((message, place) => message === messages[place]) ? messages : shown;
}

function isToolMessage(message: BaseMessage | undefined): message is ToolMessage {
  return message?.type === "tool";
}

/** Each package converts images by their URL. OpenAI's takes other files in LangChain's older form only. */
function userBlock(block: ContentBlock, isOpenAi: boolean): ContentBlock {
  const { type, metadata } = block;
  const [mime_type, data] = [fieldOf(block, "mimeType"), fieldOf(block, "data")];
  if (type === "image")
    return {
      type: "image_url",
      image_url: { url: `data:${String(mime_type)};base64,${String(data)}` },
    };
  return isOpenAi ? { type, source_type: "base64", mime_type, data, metadata } : block;
}
