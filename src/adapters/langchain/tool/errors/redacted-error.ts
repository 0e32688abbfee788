import type { ContentBlock, MessageContent, ToolMessage } from "@langchain/core/messages";
import { MiddlewareError, ToolInvocationError } from "langchain";

import { redactBlock } from "../../../../core/content/redact/redact-output.js";
import { createRedactor, type Redactor } from "../../../../core/content/redact/redactor.js";
import { internals } from "../../../../core/pipeline/offloader.js";
import { outputOf, outputOfMessage, type ToolRun } from "../../run/tool-run.js";
import { cutError } from "./cut-error.js";
import { messageWith } from "../message-with.js";
import { errorWith } from "./own-error.js";
import { redactedText, withheldText } from "../redacted-text.js";

/** The message of a tool's error as the model is shown it: as `redact` leaves it, and without its middle when it is long. */
export async function shownError(message: ToolMessage, call: ToolRun): Promise<ToolMessage> {
  if (!internals(call.offloader).admits(outputOfMessage(call, message))) return message;
  const { content: given, artifact: own } = message;
  const { content, artifact } = await redacted(message, call);
  const cut = cutContent(content);
  return cut === given && artifact === own
    ? message
    : messageWith(message, { content: cut, artifact });
}

/** What `redact` leaves of it; a sentence in its place where that fails. */
async function redacted(
  message: ToolMessage,
  call: ToolRun,
): Promise<Pick<ToolMessage, "content" | "artifact">> {
  const { content: given, artifact: own } = message;
  const redactor = redactorOf(call);
  if (redactor === undefined) return { content: given, artifact: own };
  try {
    const content = await redactedContent(given, redactor);
    const artifact: unknown =
      own === undefined ? undefined : await redactor.value<unknown>(own, "artifact");
    return { content, artifact };
  } catch (error) {
    return { content: withheldText(call.offloader, error, call), artifact: undefined };
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
  if (offloader.options.redact === undefined) return error;
  if (!ToolInvocationError.isInstance(error) && !MiddlewareError.isInstance(error)) return error;
  if (!internals(offloader).admits(outputOf(call, { value: error.message }))) return error;
  return await redactedChain(error);

  /** Each error of the chain is redacted: middleware reads the first one, the model the last one. */
  async function redactedChain(given: Error): Promise<Error> {
    const { text: message } = await redactedText(offloader, given.message, call);
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

function redactorOf({ offloader, toolName }: ToolRun): Redactor | undefined {
  const { redact } = offloader.options;
  return redact && createRedactor(redact, toolName);
}

async function redactedContent(given: MessageContent, redactor: Redactor): Promise<MessageContent> {
  if (typeof given === "string") return await redactor.text(given, "output");
  const blocks = await Promise.all(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is redacted stays a block.
    given.map(async (block) => (await redactBlock(block, redactor)) as ContentBlock),
  );
  return blocks.every((block, index) => block === given[index]) ? given : blocks;
}
