import { type MessageContent, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, Overwrite } from "@langchain/langgraph";

import type { OffloadListener } from "../../../events.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import type { ToolOutput } from "../../../types.js";
import { cutError } from "./cut-error.js";
import { artifactOf, contentOf } from "./tool-value.js";
import { updatesOf, valuesIn, withUpdates } from "./command-updates.js";
import { isByHand, type RunningCall, withStored } from "../running-call.js";

/** The tool call that a message answers. */
export interface AnsweredCall extends Pick<
  ToolOutput,
  | "toolName"
  | "sessionId"
  | "conversation"
  | "overrides"
  | "turn"
  | "turnCalls"
  | "seat"
  | "metadata"
> {
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** Told of what happens to this call's output. */
  readonly onEvent?: OffloadListener | undefined;
  /** What its tool offloaded by hand. */
  readonly running?: RunningCall | undefined;
}

/** Messages whose output was walked when their tool returned it. */
const walkedMessages = new WeakSet<ToolMessage>();

/** A message of an output that was walked: it is not walked again. */
export function walkedMessage(fields: ConstructorParameters<typeof ToolMessage>[0]): ToolMessage {
  const message = new ToolMessage(fields);
  walkedMessages.add(message);
  return message;
}

/** One call for all messages, or the call of each; `undefined` leaves a message as it is. */
type CallOf = AnsweredCall | ((message: ToolMessage) => AnsweredCall | undefined);

/**
 * Walks what a tool call returned: a tool message, or a command with tool messages among its
 * updates. What stays inline comes back as the same object.
 */
export async function offloadToolResult<Result>(
  offloader: Offloader,
  result: Result,
  call: CallOf,
): Promise<Result | ToolMessage | Command> {
  if (ToolMessage.isInstance(result)) return await offloadMessage(offloader, result, call);
  if (isCommand(result)) return await offloadCommand(offloader, result, call);
  return result;
}

async function offloadMessage(
  offloader: Offloader,
  message: ToolMessage,
  callOf: CallOf,
): Promise<ToolMessage> {
  const call = typeof callOf === "function" ? callOf(message) : callOf;
  if (walkedMessages.has(message)) {
    // Whoever walked it told nobody of the turn what it takes.
    call?.seat?.end(false);
    return message;
  }
  if (message.status === "error") return message;
  if (call === undefined) return message;
  const { onEvent, running, ...place } = call;
  const { content: given } = message;
  if (isByHand(given, running)) {
    call.seat?.end(false);
    return asWalked(message, given, withStored(message.artifact, running));
  }
  const output: ToolOutput = {
    ...place,
    toolName: message.name ?? call.toolName,
    value: message.content,
    artifact: message.artifact,
    toolCallId: message.tool_call_id,
  };
  const result = await offloader.offload(output, onEvent);
  if (result.outcome !== "inline") {
    return asWalked(message, contentOf(result), artifactOf(result, message.artifact, running));
  }
  const { text, keptBlocks = [] } = result;
  const artifact = withStored(message.artifact, running);
  if (text === undefined && artifact === message.artifact) return message;
  const content = text === undefined ? given : contentOf({ text, keptBlocks });
  return withContent(message, content, artifact);
}

function asWalked(message: ToolMessage, content: MessageContent, artifact: unknown): ToolMessage {
  const walked = withContent(message, content, artifact);
  walkedMessages.add(walked);
  return walked;
}

/** A tool's error, cut when it is long. */
export function withShortError<Result extends ToolMessage | Command>(
  result: Result,
): Result | ToolMessage {
  if (!ToolMessage.isInstance(result) || result.status !== "error") return result;
  if (typeof result.content !== "string") return result;
  const content = cutError(result.content);
  return content === result.content ? result : withContent(result, content, result.artifact);
}

/** The same message with other content. */
function withContent(
  message: ToolMessage,
  content: MessageContent,
  artifact: unknown,
): ToolMessage {
  return new ToolMessage({
    content,
    tool_call_id: message.tool_call_id,
    artifact,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.id !== undefined && { id: message.id }),
    ...(message.name !== undefined && { name: message.name }),
    ...(message.status !== undefined && { status: message.status }),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
  });
}

/** Looks through a command's updates, which are an object or a list of pairs. */
async function offloadCommand(
  offloader: Offloader,
  command: Command,
  given: CallOf,
): Promise<Command> {
  const updates = updatesOf(command);
  const outputs = updates
    .flatMap(([, value]) => valuesIn(value))
    .filter((value) => ToolMessage.isInstance(value));
  const call = outputs.length > 1 ? shared(given, outputs.length) : given;
  const walked = await Promise.all(
    updates.map(async ([channel, value]): Promise<[string, unknown]> => [
      channel,
      await offloadUpdate(offloader, value, call),
    ]),
  );
  if (walked.every(([, value], index) => value === updates[index]?.[1])) return command;
  return withUpdates(command, walked);
}

/** The call of several outputs, each with its part of the call's share of the turn's budget. */
function shared(call: CallOf, outputs: number): CallOf {
  if (typeof call === "function") return call;
  call.seat?.end(false);
  return { ...call, seat: undefined, turnCalls: (call.turnCalls ?? 1) * outputs };
}

/** Walks the update of one channel: a tool message, or tool messages in a list, that may replace what it has. */
export async function offloadUpdate(
  offloader: Offloader,
  value: unknown,
  call: CallOf,
): Promise<unknown> {
  if (ToolMessage.isInstance(value)) return await offloadMessage(offloader, value, call);
  if (Overwrite.isInstance(value)) {
    const walked = await offloadUpdate(offloader, value.value, call);
    return walked === value.value ? value : new Overwrite(walked);
  }
  if (!Array.isArray(value) || !value.some((item) => ToolMessage.isInstance(item))) return value;
  const walked = await Promise.all(
    value.map((item) =>
      ToolMessage.isInstance(item) ? offloadMessage(offloader, item, call) : item,
    ),
  );
  return walked.every((item, index) => item === value[index]) ? value : walked;
}
