import {
  type AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  type ContentBlock,
  isBaseMessage,
  type MessageContent,
  ToolMessage,
} from "@langchain/core/messages";
import { Command, Overwrite, type Send } from "@langchain/langgraph";
import { isDeepStrictEqual } from "node:util";

import { textOf } from "../../../core/content/content-blocks.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord, type JsonObject } from "../../../util/is-record.js";

export function toolMessagesAmong(updates: readonly [string, unknown][]): readonly ToolMessage[] {
  return updates.flatMap(([channel, update]) =>
    [Overwrite.isInstance(update) ? update.value : update]
      .flat()
      .flatMap((value) => toolMessageOf(value, channel) ?? []),
  );
}

export function toolMessageOf(value: unknown, channel: string): ToolMessage | undefined {
  if (ToolMessage.isInstance(value)) return value;
  if (channel !== "messages" || !isRecord(value) || isBaseMessage(value)) return undefined;
  const { role, type = role, tool_call_id: callId, content } = value;
  if (type !== "tool" || typeof callId !== "string" || content === undefined) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- refuses what it cannot take
    const message = coerceMessageLikeToMessage(value as unknown as BaseMessageLike);
    return ToolMessage.isInstance(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** OpenAI takes only an image in its place. */
export function isScreenshot({ additional_kwargs: more }: BaseMessage): boolean {
  return more["type"] === "computer_call_output";
}

export function updatesOf({ update }: Command): [string, unknown][] {
  return Array.isArray(update) ? update : Object.entries(update ?? {});
}

export function targetsOf({ goto = [] }: Command): readonly (string | Send)[] {
  return Array.isArray(goto) ? goto : [goto];
}

/** Empty for the name of a node. */
export function sentTo(target: string | Send): [string, unknown][] {
  return typeof target !== "string" && isRecord(target.args) ? Object.entries(target.args) : [];
}

export function toolMessagesOf(command: Command): readonly ToolMessage[] {
  return toolMessagesAmong([...updatesOf(command), ...targetsOf(command).flatMap(sentTo)]);
}

export function withUpdates(
  command: Command,
  updates: [string, unknown][],
  goto: Command["goto"] = command.goto,
): Command {
  const { graph, resume } = command;
  const update = Array.isArray(command.update) ? updates : Object.fromEntries(updates);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it has not is undefined in it anyway
  return new Command({ graph, goto, resume, update } as never);
}

export function contentOf({
  text,
  keptBlocks,
}: {
  readonly text: string;
  readonly keptBlocks: readonly unknown[];
}): MessageContent {
  // All other blocks stay, even of unknown kinds: Google's blocks have no type.
  const blocks = keptBlocks.filter((block): block is ContentBlock => block instanceof Object);
  return blocks.length === 0 ? text : [{ type: "text", text }, ...blocks];
}

export function partsOf(content: BaseMessage["content"]): {
  readonly texts: readonly string[];
  readonly kept: readonly ContentBlock[];
} {
  if (typeof content === "string") return { texts: [content], kept: [] };
  const kept = content.filter((block) => textOf(block) === undefined);
  return { texts: content.flatMap((block) => textOf(block) ?? []), kept };
}

export interface ChangedFields {
  readonly content?: MessageContent;
  readonly artifact?: unknown;
  readonly response_metadata?: JsonObject;
  readonly tool_calls?: AIMessage["tool_calls"];
}

const SERIALIZED = [
  "content",
  "id",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_call_id",
  "artifact",
  "status",
  "metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
] as const;

/** The same message with other fields, in memory and when it is serialized. Fields unknown to LangChain are left out. */
export function messageWith<Message extends BaseMessage>(
  message: Message,
  fields: ChangedFields,
): Message {
  const copy: Message = Object.create(Object.getPrototypeOf(message));
  Object.assign(copy, message, fields);
  const kwargs = SERIALIZED.map((field) => [field, fieldOf(copy, field)] as const);
  copy.lc_kwargs = Object.fromEntries(kwargs.filter(([, value]) => value !== undefined));
  return copy;
}

/** In a message's metadata: only a part of the output is left. */
export const SHORTENED = "langchain-offload-shortened";
/** Its text has been cleaned. */
export const CLEANED = "langchain-offload-cleaned";
/** All of its content is a descriptor of so many UTF-16 units. */
export const DESCRIPTOR = "langchain-offload-descriptor";

export function knownAmong(messages: readonly BaseMessage[]): (message: ToolMessage) => boolean {
  const answers = messages.filter((message) => ToolMessage.isInstance(message));
  return (message) =>
    answers.some(
      (answer) =>
        answer === message ||
        (answer.tool_call_id === message.tool_call_id &&
          // With two ids it is another message, of a call whose id is used again.
          (answer.id ?? message.id) === (message.id ?? answer.id) &&
          isDeepStrictEqual(answer.content, message.content)),
    );
}
