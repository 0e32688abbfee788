import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { InlineResult } from "../../../core/pipeline/call.js";
import { isArtifactFileName } from "../../../core/store/naming.js";
import { fieldOf } from "../../../util/field-of.js";
import { CLEANED, DESCRIPTOR, messageWith, partsOf, SHORTENED } from "../tool/messages.js";
import { carried, isStoredArtifact, type Pointer, pointerIn } from "../run/carried.js";
import { isRecord, type JsonObject } from "../../../util/is-record.js";
import type { CarriedArtifact } from "../../../core/types/artifact.js";

export const MAX_PLACEHOLDER_TOKENS = 40;

export interface AgedMark {
  readonly placeholder: string;
  readonly savedTokens: number;
  readonly id?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly replaced?: true | undefined;
}

const OWN_METADATA = "langchain-offload-aging";
const EDITING = "context_editing";

export function markOf(message: BaseMessage): AgedMark | undefined {
  const mark = fieldOf(message.response_metadata, OWN_METADATA);
  if (typeof fieldOf(mark, "placeholder") !== "string") return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this library, and its placeholder is a text
  return ToolMessage.isInstance(message) ? (mark as AgedMark) : undefined;
}

export function isCleared(message: BaseMessage): boolean {
  return fieldOf(fieldOf(message.response_metadata, EDITING), "cleared") === true;
}

export function withMark(message: ToolMessage, mark: AgedMark): ToolMessage {
  const own = { [OWN_METADATA]: mark, [EDITING]: { cleared: true } };
  const content = mark.replaced ? mark.placeholder : message.content;
  return messageWith(message, {
    content,
    response_metadata: { ...message.response_metadata, ...own },
  });
}

export interface MarkedResult extends Pointer {
  readonly message: ToolMessage;
  readonly placeholder: string;
}

export function markedResults(messages: readonly BaseMessage[]): MarkedResult[] {
  return messages.flatMap((message) => {
    const mark = markOf(message);
    const stored = pointerIn(mark);
    if (mark === undefined || stored === undefined || !ToolMessage.isInstance(message)) return [];
    return [{ ...stored, message, placeholder: mark.placeholder }];
  });
}

const shown = new WeakMap<BaseMessage, BaseMessage>();

/**
 * The conversation as the model sees it, with a line in place of each aged result. Always a new list, because callers
 * change theirs in place. Order, ids and the pairs of call and result stay those of the state.
 */
export function shownMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map(shownMessage);
}

function shownMessage(message: BaseMessage): BaseMessage {
  const content = markOf(message)?.placeholder;
  const isOwn = content === undefined || message.content === content;
  if (isOwn || !ToolMessage.isInstance(message)) return message;
  const known = shown.get(message) ?? messageWith(message, { content });
  shown.set(message, known);
  return known;
}

const MARKED_TEXT = /^\ufeff/;

/** `undefined` when a stored text cannot restore the result, as with images. */
export function resultText({ content }: ToolMessage): string | undefined {
  const { texts, kept } = partsOf(content);
  const text = texts.join("\n");
  return kept.length === 0 && text.isWellFormed() && !MARKED_TEXT.test(text) ? text : undefined;
}

export function keptAs({ response_metadata }: ToolMessage): Pick<InlineResult, "isClean" | "tags"> {
  const isShortened = fieldOf(response_metadata, SHORTENED) === true;
  return {
    isClean: fieldOf(response_metadata, CLEANED) === true,
    tags: isShortened ? { shortened: "true" } : undefined,
  };
}

/** `undefined` unless all of the content is its descriptor. */
export function describedArtifact({
  content,
  artifact,
  response_metadata,
}: ToolMessage): CarriedArtifact | undefined {
  const [only, more] = carried(artifact);
  if (more !== undefined || !isStoredArtifact(only) || typeof content !== "string") {
    return undefined;
  }
  // A tool may have set any value here.
  if (!isArtifactFileName(only.fileName, only.id) || !Number.isFinite(only.tokens))
    return undefined;
  return fieldOf(response_metadata, DESCRIPTOR) === content.length ? only : undefined;
}

/** A tool may write any name into its message. */
export function calledTool({ name }: ToolMessage, call: KnownCall | undefined): string {
  return call?.name ?? name ?? "tool";
}

export interface KnownCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly asking: AIMessage;
}

export function answeredCalls(
  messages: readonly BaseMessage[],
): ReadonlyMap<BaseMessage, KnownCall> {
  const latest = new Map<string, KnownCall | undefined>();
  const answered = new Map<BaseMessage, KnownCall>();
  for (const message of messages) {
    if (AIMessage.isInstance(message)) {
      const seen = new Set<string>();
      for (const { id, name, args } of message.tool_calls ?? []) {
        if (id === undefined) continue;
        const known = { name, args: isRecord(args) && !seen.has(id) ? args : {}, asking: message };
        latest.set(id, seen.has(id) && latest.get(id)?.name !== name ? undefined : known);
        seen.add(id);
      }
    } else if (ToolMessage.isInstance(message)) {
      const call = latest.get(message.tool_call_id);
      if (call !== undefined) answered.set(message, call);
    }
  }
  return answered;
}
