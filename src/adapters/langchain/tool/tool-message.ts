import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, Overwrite } from "@langchain/langgraph";

import {
  knownAmong,
  messageWith,
  toolMessageOf,
  toolMessagesIn,
  updatesOf,
  withUpdates,
} from "./messages.js";
import { shownError } from "./tool-errors.js";
import { messagesOf } from "../run/session.js";
import { isWalked, outputOfMessage, type ToolRun, withStored } from "../run/tool-run.js";
import { isSmallValue } from "../../../core/content/value/any-json.js";
import type { OffloadResult } from "../../../core/types/result.js";
import { carriedOf } from "../run/carried.js";

/** Messages whose output was walked when their tool returned it. */
const walkedMessages = new WeakSet<ToolMessage>();

/** A message of an output that was walked: it is not walked again. */
export function walkedMessage(fields: ConstructorParameters<typeof ToolMessage>[0]): ToolMessage {
  const message = new ToolMessage(fields);
  walkedMessages.add(message);
  return message;
}

/** Whether it was, so that what it says may be a descriptor. */
export function isWalkedMessage(message: ToolMessage): boolean {
  return walkedMessages.has(message);
}

/** One call for all messages, or the call of each; `undefined` leaves a message as it is. */
type CallOf = ToolRun | ((message: ToolMessage) => ToolRun | undefined);

/**
 * Walks what a tool call returned: a tool message, or a command with tool messages among its
 * updates. What stays inline comes back as the same object.
 */
export async function offloadToolResult<Result>(
  result: Result,
  call: CallOf,
): Promise<Result | ToolMessage | Command> {
  if (ToolMessage.isInstance(result)) return await offloadMessage(result, call);
  if (isCommand(result)) return await offloadCommand(result, call);
  return result;
}

async function offloadMessage(message: ToolMessage, callOf: CallOf): Promise<ToolMessage> {
  const call = typeof callOf === "function" ? callOf(message) : callOf;
  if (walkedMessages.has(message)) {
    // Whoever walked it told nobody of the turn what it takes.
    call?.seat?.end(false);
    return message;
  }
  if (call === undefined) return message;
  if (message.status === "error") return await shownError(message, call);
  const { content: given } = message;
  if (isWalked(given, call)) {
    call.seat?.end(false);
    return asWalked(message, given, withStored(message.artifact, call));
  }
  const result = await call.offloader.offload(outputOfMessage(call, message), call.onEvent);
  noteMedia(result, call);
  if (result.outcome !== "inline") {
    return asWalked(message, contentOf(result), artifactOf(result, message.artifact, call));
  }
  const artifact = withStored(ownArtifact(result, message.artifact), call);
  const content = inlineContent(result, given) ?? given;
  if (content === given && artifact === message.artifact) return message;
  return messageWith(message, { content, artifact });
}

function asWalked(message: ToolMessage, content: MessageContent, artifact: unknown): ToolMessage {
  const walked = messageWith(message, { content, artifact });
  walkedMessages.add(walked);
  return walked;
}

/**
 * Looks through a command's updates, which are an object or a list of pairs. A tool that hands on may give the state's
 * own messages too: these were replaced when they were born, or never.
 */
async function offloadCommand(command: Command, given: CallOf): Promise<Command> {
  const updates = updatesOf(command);
  const outputs = updates.flatMap(([channel, value]) => toolMessagesIn(value, channel));
  const call = outputs.length > 0 && typeof given !== "function" ? bornIn(given, outputs) : given;
  const walked = await Promise.all(
    updates.map(async ([channel, value]): Promise<[string, unknown]> => [
      channel,
      await offloadUpdate(value, call, channel),
    ]),
  );
  if (walked.every(([, value], index) => value === updates[index]?.[1])) return command;
  return withUpdates(command, walked);
}

/** The call of those messages that its state has not, each with its part of the call's share of the turn's budget. */
function bornIn(call: ToolRun, messages: readonly ToolMessage[]): CallOf {
  const isKnown = knownAmong(messagesOf(call.state));
  const born = messages.filter((message) => !isKnown(message));
  const own = born.length > 1 ? shared(call, born.length) : call;
  return (message) => (isKnown(message) ? undefined : own);
}

function shared(call: ToolRun, outputs: number): ToolRun {
  const { seat, turnCalls = 1 } = call;
  seat?.end(false);
  return { ...call, seat: undefined, turnCalls: turnCalls * outputs };
}

/** Walks the update of one channel: a tool message, or tool messages in a list, that may replace what it has. */
export async function offloadUpdate(
  value: unknown,
  call: CallOf,
  channel: string,
): Promise<unknown> {
  if (Overwrite.isInstance(value)) {
    const walked = await offloadUpdate(value.value, call, channel);
    return walked === value.value ? value : new Overwrite(walked);
  }
  if (!Array.isArray(value)) return await offloadItem(value, call, channel);
  const walked = await Promise.all(value.map((item) => offloadItem(item, call, channel)));
  return walked.every((item, index) => item === value[index]) ? value : walked;
}

async function offloadItem(item: unknown, call: CallOf, channel: string): Promise<unknown> {
  const message = toolMessageOf(item, channel);
  if (message === undefined) return item;
  const walked = await offloadMessage(message, call);
  return walked === message ? item : walked;
}

/** Characters of a tool's own artifact that may stay in every checkpoint of a conversation. */
const MAX_ARTIFACT_CHARACTERS = 4_096;

/** An output that did not stay inline. */
export type OffloadedResult = Exclude<OffloadResult, { outcome: "inline" }>;

/** The content of the tool message: the text, and the images and files that stood beside it. */
export function contentOf({
  text,
  keptBlocks,
}: Pick<OffloadedResult, "text" | "keptBlocks">): MessageContent {
  if (keptBlocks.length === 0) return text;
  return [{ type: "text", text }, ...keptBlocks.filter(isBlock)];
}

/**
 * LangChain's own `artifact` of the tool message. The stored artifact takes the place of the tool's
 * own, which may be a copy of the whole output and would be checkpointed: a small one stays in it as
 * `toolArtifact`. An output that was only cut keeps it. With what the tool offloaded by hand it is a list.
 */
export function artifactOf(result: OffloadedResult, given: unknown, call: ToolRun): unknown {
  const toolArtifact = ownArtifact(result, given);
  if (result.outcome !== "offloaded") return withStored(toolArtifact, call);
  const stored = carriedOf(result.storedArtifact);
  const isSmall = isSmallValue(toolArtifact, MAX_ARTIFACT_CHARACTERS);
  const own = isSmall ? { ...stored, toolArtifact } : stored;
  return call.stored.length === 0 ? own : [own, ...call.stored];
}

/** The content of a result that stays inline; of blocks, some may be descriptors by now. `undefined` for what the tool gave. */
export function inlineContent(
  { text, value, keptBlocks = [] }: Extract<OffloadResult, { outcome: "inline" }>,
  given: unknown,
): MessageContent | undefined {
  if (text !== undefined) return contentOf({ text, keptBlocks });
  return Array.isArray(value) && value !== given ? value : undefined;
}

/** Notes what was stored beside the text, which a message carries as it does what its tool has stored by hand. */
export function noteMedia({ media = [] }: OffloadResult, { stored }: ToolRun): void {
  for (const one of media) {
    if (stored.every(({ id }) => id !== one.id)) stored.push(carriedOf(one));
  }
}

/** The artifact that a tool gave, or what `redact` has left of it. */
export function ownArtifact(result: OffloadResult, given: unknown): unknown {
  return "artifact" in result ? result.artifact : given;
}

/** What a tool may return that LangChain passes on instead of making a tool message of it. */
export function isFinished(value: unknown): value is ToolMessage | Command {
  try {
    return ToolMessage.isInstance(value) || isCommand(value);
  } catch {
    // A value that throws when it is looked at.
    return false;
  }
}

/**
 * Whether a tool returned a generator: LangChain passes on what it yields as the tool's events, and takes
 * what it returns for the output. Any other async iterable is a stream.
 */
export function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  if (typeof value !== "object" || value === null) return false;
  try {
    return typeof Reflect.get(value, "next") === "function";
  } catch {
    return false;
  }
}

/** Whatever stood beside the text stays, known or not; Google's blocks have no type. */
function isBlock(value: unknown): value is ContentBlock {
  return typeof value === "object" && value !== null;
}
