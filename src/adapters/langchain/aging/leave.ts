import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { ResolvedAgingOptions } from "../../../aging/aging-options.js";
import type { OffloadEvent } from "../../../events.js";
import { inLanes } from "../../../util/slices.js";
import { longArguments } from "./arguments/may-leave.js";
import { markArguments } from "./arguments/mark-arguments.js";
import { markFor, type MarkParts } from "./mark-batch.js";
import { answeredCalls, type KnownCall } from "./messages/answered-calls.js";
import { storedBy, withMark } from "./messages/mark.js";
import { type ModelCall, stateVersions } from "./model-call.js";

/** What a mark names, and the line that stands in its place. */
type Stored = Readonly<Record<"id" | "scope" | "stub", string>>;

/** What has left, and the conversation without it. */
export interface Left {
  readonly messages: readonly BaseMessage[];
  readonly update: readonly BaseMessage[];
  readonly stored: readonly Stored[];
  readonly places: readonly number[];
}

/** What messages leave with. */
interface LeavingParts extends MarkParts {
  readonly toolArguments: ResolvedAgingOptions["toolArguments"];
  /** For events and messages. */
  readonly storeName: string;
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
  const left = new Map<number, NonNullable<Awaited<ReturnType<typeof marked>>>>();
  let hasFailed = false;
  await inLanes(places, STORED_AT_ONCE, async (place) => {
    const given = messages[place];
    const message = sameInState(given);
    // A store that fails now fails for the others too: they stay, and the next call tries again.
    if (given === undefined || message?.id === undefined || hasFailed) return;
    try {
      const made = await marked(message, calls.get(given), sessionId, parts);
      if (made !== undefined) left.set(place, made);
    } catch (error) {
      hasFailed = true;
      const toolCallId = callIdOf(message);
      const about = { store: parts.storeName, toolName: message.name ?? "tool", toolCallId };
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

/** A message with what leaves it stored and marked, and what its marks name; `undefined` where nothing can leave. */
async function marked(
  message: BaseMessage,
  call: KnownCall | undefined,
  sessionId: string,
  parts: LeavingParts,
): Promise<{ readonly message: BaseMessage; readonly stored: readonly Stored[] } | undefined> {
  if (AIMessage.isInstance(message)) {
    const long = longArguments(message, parts.toolArguments);
    const { aged, ...made } = await markArguments(message, long, sessionId, parts);
    return aged.length === 0 ? undefined : { ...made, stored: aged };
  }
  if (!ToolMessage.isInstance(message)) return undefined;
  const mark = await markFor(message, call, sessionId, parts);
  const stored = mark && storedBy(mark);
  return (
    mark && {
      message: withMark(message, mark),
      stored: stored ? [{ ...stored, stub: mark.stub }] : [],
    }
  );
}

function callIdOf(message: BaseMessage): string | undefined {
  return ToolMessage.isInstance(message) ? message.tool_call_id : undefined;
}
