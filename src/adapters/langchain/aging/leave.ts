import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { OffloadEvent, OffloadListener } from "../../../core/types/events.js";
import { inLanes } from "../../../util/slices.js";
import { markFor, type MarkParts } from "./mark-batch.js";
import { answeredCalls } from "./messages/answered-calls.js";
import { storedBy, withMark } from "./messages/mark.js";

/** A conversation in front of a model call. */
export interface ModelCall {
  /** As others hand them on; what they show otherwise than the state has it never leaves. */
  readonly messages: readonly BaseMessage[];
  /** As the state has them. */
  readonly stateMessages: readonly BaseMessage[];
  readonly sessionId: string | undefined;
  readonly windowTokens: number | undefined;
  /** Told of what leaves, beside the offloader's listeners. */
  readonly onEvent?: OffloadListener | undefined;
}

/** What has left, and the conversation without it. */
export interface Left {
  readonly messages: readonly BaseMessage[];
  readonly update: readonly BaseMessage[];
  /** What the marks name, and the lines that stand in its place. */
  readonly stored: readonly Readonly<Record<"id" | "scope" | "stub", string>>[];
  readonly places: readonly number[];
}

/** What messages leave with. */
interface LeavingParts extends MarkParts {
  readonly tell: (event: OffloadEvent, call: ModelCall) => void;
}

/** Of one batch. */
const STORED_AT_ONCE = 8;

/** What leaves, stored and marked; `undefined` where nothing can. */
export async function leave(
  call: ModelCall,
  places: readonly number[],
  parts: LeavingParts,
): Promise<Left | undefined> {
  const { messages, sessionId = "" } = call;
  const sameInState = stateVersions(call);
  const calls = answeredCalls(messages);
  const left = new Map<number, Pick<Left, "stored"> & { readonly message: ToolMessage }>();
  let hasFailed = false;
  await inLanes(places, STORED_AT_ONCE, async (place) => {
    const given = messages[place];
    const message = given && sameInState(given);
    // A store that fails now fails for the others too: they stay, and the next call tries again.
    if (given === undefined || message?.id === undefined || hasFailed) return;
    try {
      const mark = await markFor(message, calls.get(given), sessionId, parts);
      if (mark === undefined) return;
      const stored = storedBy(mark);
      left.set(place, {
        message: withMark(message, mark),
        stored: stored ? [{ ...stored, stub: mark.stub }] : [],
      });
    } catch (error) {
      hasFailed = true;
      const { name: toolName = "tool", tool_call_id: toolCallId } = message;
      const about = { store: parts.store.name, toolName, toolCallId };
      const failed = { specName: "OffloadWriteFailed", fallback: "inline", error } as const;
      parts.tell({ type: "write-failed", ...failed, ...about }, call);
    }
  });
  if (left.size === 0) return undefined;
  const inOrder = places.flatMap((place) => left.get(place) ?? []);
  return {
    messages: messages.map((message, place) => left.get(place)?.message ?? message),
    update: inOrder.map(({ message }) => message),
    stored: inOrder.flatMap(({ stored }) => stored),
    places: places.filter((place) => left.has(place)),
  };
}

/** Finds results as the state has them: only those that others show as they are. */
function stateVersions({
  stateMessages,
}: ModelCall): (message: BaseMessage) => ToolMessage | undefined {
  const byId = new Map(stateMessages.map((message) => [message.id, message]));
  return (message) => {
    const same = byId.get(message.id);
    return ToolMessage.isInstance(same) && same.content === message.content ? same : undefined;
  };
}
