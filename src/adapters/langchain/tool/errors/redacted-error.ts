import type { ContentBlock, MessageContent, ToolMessage } from "@langchain/core/messages";
import { MiddlewareError, ToolInvocationError } from "langchain";

import { cleanBlock } from "../../../../core/content/clean/clean-output.js";
import {
  CleanFault,
  type Cleaner,
  withheldSentence,
} from "../../../../core/content/clean/cleaner.js";
import { internals } from "../../../../core/pipeline/offloader.js";
import { outputOfMessage, type ToolRun } from "../../run/tool-run.js";
import { cutError } from "./cut-error.js";
import { messageWith } from "../message-with.js";
import { errorWith } from "./own-error.js";
import { cleanText } from "../redacted-text.js";

/** The message of a tool's error as the model is shown it: cleaned, and without its middle when it is long. */
export async function shownError(message: ToolMessage, call: ToolRun): Promise<ToolMessage> {
  const { content: given, artifact: own } = message;
  const { content, artifact } = await cleaned(message, call);
  const isIn = internals(call.offloader).admits(outputOfMessage(call, message));
  const shown = isIn ? cutContent(content) : content;
  return shown === given && artifact === own
    ? message
    : messageWith(message, { content: shown, artifact });
}

/** What the plug-ins leave of it; a sentence in its place where one fails. */
async function cleaned(
  { content: given, artifact: own }: ToolMessage,
  { offloader, toolName, toolCallId }: ToolRun,
): Promise<Pick<ToolMessage, "content" | "artifact">> {
  const cleaner = internals(offloader).host.cleanerOf({ toolName, toolCallId });
  if (cleaner === undefined) return { content: given, artifact: own };
  try {
    const content = await cleanedContent(given, cleaner);
    const artifact: unknown =
      own === undefined ? undefined : await cleaner.value<unknown>(own, "artifact");
    return { content, artifact };
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return { content: withheldSentence(toolName), artifact: undefined };
  }
}

/** Of blocks, the texts are one where they are long together. */
function cutContent(content: MessageContent): MessageContent {
  if (typeof content === "string") return cutError(content);
  const text = content.flatMap((block) => textOf(block) ?? []).join("\n");
  const cut = cutError(text);
  if (cut === text) return content;
  return [{ type: "text", text: cut }, ...content.filter((block) => textOf(block) === undefined)];
}

function textOf(block: ContentBlock): string | undefined {
  return block.type === "text" && typeof block["text"] === "string" ? block["text"] : undefined;
}

/** The same of an error that a tool or a middleware has thrown. */
export async function redactedFault(error: unknown, call: ToolRun): Promise<unknown> {
  const { offloader } = call;
  if (internals(offloader).host.clean === undefined) return error;
  if (!ToolInvocationError.isInstance(error) && !MiddlewareError.isInstance(error)) return error;
  return await redactedChain(error);

  /** Each error of the chain is redacted: middleware reads the first one, the model the last one. */
  async function redactedChain(given: Error): Promise<Error> {
    const { text: message } = await cleanText(offloader, given.message, call);
    const cause =
      MiddlewareError.isInstance(given) && given.cause instanceof Error
        ? await redactedChain(given.cause)
        : given.cause;
    const isSameCause = cause === given.cause;
    return message === given.message && isSameCause
      ? given
      : errorWith(given, { message, ...(!isSameCause && { cause }) });
  }
}

async function cleanedContent(given: MessageContent, cleaner: Cleaner): Promise<MessageContent> {
  if (typeof given === "string") return await cleaner.text(given, "output");
  const blocks = await Promise.all(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is redacted stays a block.
    given.map(async (block) => (await cleanBlock(block, cleaner)) as ContentBlock),
  );
  return blocks.every((block, index) => block === given[index]) ? given : blocks;
}
