import { type MessageContent, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, Overwrite } from "@langchain/langgraph";

import type { CarriedArtifact, StoredArtifact } from "../../../core/types/artifact.js";
import type { ToolOutput } from "../../../core/types/output.js";
import {
  contentOf,
  knownAmong,
  messageWith,
  toolMessageOf,
  toolMessagesIn,
  updatesOf,
  withUpdates,
} from "./messages.js";
import { shownError } from "./tool-errors.js";
import { messagesOf } from "../run/session.js";
import { outputOfMessage, type ToolRun } from "../run/tool-run.js";
import { isSmallValue } from "../../../core/content/value/any-json.js";
import { carriedOf } from "../run/carried.js";

const walkedMessages = new WeakSet<ToolMessage>();

export function walkedMessage(fields: ConstructorParameters<typeof ToolMessage>[0]): ToolMessage {
  const message = new ToolMessage(fields);
  walkedMessages.add(message);
  return message;
}

/** Whether it was, so that what it says may be a descriptor. */
export function isWalkedMessage(message: ToolMessage): boolean {
  return walkedMessages.has(message);
}

type CallOf = ToolRun | ((message: ToolMessage) => ToolRun | undefined);

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
    call?.output.seat?.end(false);
    return message;
  }
  if (call === undefined) return message;
  if (message.status === "error") return await shownError(message, call);
  const walked = await walkOutput(outputOfMessage(call, message), call);
  const isSame = walked.content === undefined && walked.artifact === message.artifact;
  if (isSame && walked.isInline) return message;
  const { content = message.content, artifact } = walked;
  const shown = messageWith(message, { content, artifact });
  if (!walked.isInline) walkedMessages.add(shown);
  return shown;
}

interface WalkedOutput {
  readonly content: MessageContent | undefined;
  readonly artifact: unknown;
  readonly isInline: boolean;
}

export async function walkOutput(output: ToolOutput, call: ToolRun): Promise<WalkedOutput> {
  const { offloader, stored, walked, onEvent } = call;
  const { value, artifact: given } = output;
  if (walked.size > 0 && walked.has(value)) {
    output.seat?.end(false);
    return { content: undefined, artifact: withStored(given, stored), isInline: false };
  }
  const result = await offloader.offload(output, onEvent);
  for (const media of result.media ?? []) noteStored(stored, media);
  const own = "artifact" in result ? result.artifact : given;
  if (result.outcome === "offloaded")
    return {
      content: contentOf(result),
      artifact: artifactOf(result.storedArtifact, own, stored),
      isInline: false,
    };
  const artifact = withStored(own, stored);
  if (result.outcome === "truncated")
    return { content: contentOf(result), artifact, isInline: false };
  const { text, value: left, keptBlocks = [] } = result;
  const isChanged = left !== value && (typeof left === "string" || Array.isArray(left));
  const changed = isChanged ? (left as MessageContent) : undefined;
  const content = text === undefined ? changed : contentOf({ text, keptBlocks });
  return { content, artifact, isInline: true };
}

export function noteStored(stored: CarriedArtifact[], artifact: StoredArtifact): void {
  if (stored.every(({ id }) => id !== artifact.id)) stored.push(carriedOf(artifact));
}

function withStored(artifact: unknown, stored: readonly CarriedArtifact[]): unknown {
  if (artifact !== undefined) return artifact;
  return stored.length > 1 ? stored : stored[0];
}

/** A tool that hands on may give the state's own messages too: these were replaced when they were born, or never. */
async function offloadCommand(command: Command, given: CallOf): Promise<Command> {
  const updates = updatesOf(command);
  const outputs = updates.flatMap(([channel, value]) => toolMessagesIn(value, channel));
  const call = outputs.length > 0 && typeof given !== "function" ? bornIn(given, outputs) : given;
  const walked = await offloadUpdates(updates, call);
  if (walked.every(([, value], index) => value === updates[index]?.[1])) return command;
  return withUpdates(command, walked);
}

function bornIn(call: ToolRun, messages: readonly ToolMessage[]): CallOf {
  const isKnown = knownAmong(messagesOf(call.state));
  const born = messages.filter((message) => !isKnown(message));
  const own = born.length > 1 ? shared(call, born.length) : call;
  return (message) => (isKnown(message) ? undefined : own);
}

function shared(call: ToolRun, outputs: number): ToolRun {
  const { seat, turnCalls = 1 } = call.output;
  seat?.end(false);
  return { ...call, output: { ...call.output, seat: undefined, turnCalls: turnCalls * outputs } };
}

export async function offloadUpdates(
  updates: readonly [string, unknown][],
  call: CallOf,
): Promise<[string, unknown][]> {
  return await Promise.all(
    updates.map(async ([channel, value]): Promise<[string, unknown]> => [
      channel,
      await offloadUpdate(value, call, channel),
    ]),
  );
}

async function offloadUpdate(value: unknown, call: CallOf, channel: string): Promise<unknown> {
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
  const walked = message && (await offloadMessage(message, call));
  return walked === message ? item : walked;
}

const MAX_ARTIFACT_CHARACTERS = 4_096;

function artifactOf(
  storedArtifact: StoredArtifact,
  toolArtifact: unknown,
  others: readonly CarriedArtifact[],
): unknown {
  const stored = carriedOf(storedArtifact);
  const isSmall = isSmallValue(toolArtifact, MAX_ARTIFACT_CHARACTERS);
  const own = isSmall ? { ...stored, toolArtifact } : stored;
  return others.length === 0 ? own : [own, ...others];
}

export function isFinished(value: unknown): value is ToolMessage | Command {
  try {
    return ToolMessage.isInstance(value) || isCommand(value);
  } catch {
    return false;
  }
}

export function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  if (typeof value !== "object" || value === null) return false;
  try {
    return typeof Reflect.get(value, "next") === "function";
  } catch {
    return false;
  }
}
