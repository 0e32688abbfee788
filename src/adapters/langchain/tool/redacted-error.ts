import type { ContentBlock, MessageContent, ToolMessage } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";

import { redactBlock } from "../../../content/redact/redact-output.js";
import { createRedactor, type Redactor } from "../../../content/redact/redactor.js";
import { internals } from "../../../offload/offloader.js";
import { outputOf, type RunningCall } from "../run/running-call.js";
import { messageWith } from "./message-with.js";
import { redactedText, withheldText } from "./redacted-text.js";

/** The message of a tool's error as `redact` leaves it; a sentence in its place where that fails. */
export async function redactedError(message: ToolMessage, call: RunningCall): Promise<ToolMessage> {
  const redactor = redactorOf(call);
  if (redactor === undefined || !internals(call.offloader).admits(outputOf(call, message))) {
    return message;
  }
  const { content: given, artifact: own } = message;
  try {
    const content = await redactedContent(given, redactor);
    const artifact: unknown =
      own === undefined ? undefined : await redactor.value<unknown>(own, "artifact");
    return content === given && artifact === own
      ? message
      : messageWith(message, { content, artifact });
  } catch (error) {
    const content = withheldText(call.offloader, error, call.output);
    return messageWith(message, { content, artifact: undefined });
  }
}

/** The same of an error that a tool has thrown, which stays the object it is. */
export async function redactedFault(error: unknown, call: RunningCall): Promise<unknown> {
  const { offloader, output } = call;
  if (offloader.options.redact === undefined || !ToolInvocationError.isInstance(error))
    return error;
  if (!internals(offloader).admits({ ...output, value: error.message })) return error;
  const { text: message } = await redactedText(offloader, error.message, output);
  // Not enumerable, as an error's message is.
  return Object.defineProperty(error, "message", {
    value: message,
    writable: true,
    configurable: true,
  });
}

function redactorOf({ offloader, output }: RunningCall): Redactor | undefined {
  const { redact } = offloader.options;
  return redact && createRedactor(redact, output.toolName);
}

async function redactedContent(given: MessageContent, redactor: Redactor): Promise<MessageContent> {
  if (typeof given === "string") return await redactor.text(given, "output");
  const blocks = await Promise.all(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is redacted stays a block.
    given.map(async (block) => (await redactBlock(block, redactor)) as ContentBlock),
  );
  return blocks.every((block, index) => block === given[index]) ? given : blocks;
}
