import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { agedArgumentsOf } from "../arguments/aged-arguments.js";
import { argumentOf } from "../arguments/argument-of.js";
import { grantsOf } from "../../run/grant.js";
import { markOf, OWN_METADATA, storedBy } from "./mark.js";
import { resultText } from "./result-text.js";

/** Something of a message that has left the context, and where it is stored. */
export interface MarkedValue {
  readonly id: string;
  readonly scope: string;
  readonly toolName: string;
  readonly toolCallId: string;
  /** It as the message still has it; `undefined` where the message holds it no more. */
  readonly text: () => string | undefined;
  /** It was stored when it came, and the message never held it. */
  readonly isBornStored: boolean;
}

const NONE: readonly MarkedValue[] = [];
const found = new WeakMap<BaseMessage, readonly MarkedValue[]>();

/** What the marks of a message name. */
export function markedValues(message: BaseMessage): readonly MarkedValue[] {
  if (message.response_metadata?.[OWN_METADATA] === undefined) return NONE;
  const known = found.get(message) ?? valuesOf(message);
  found.set(message, known);
  return known;
}

function valuesOf(message: BaseMessage): readonly MarkedValue[] {
  const mark = markOf(message);
  const stored = mark && storedBy(mark);
  if (stored !== undefined && ToolMessage.isInstance(message)) {
    const { name: toolName = "tool", tool_call_id: toolCallId } = message;
    const text = (): string | undefined => (mark?.replaced ? undefined : resultText(message));
    const isBornStored = Object.hasOwn(grantsOf([message]), stored.id);
    return [{ ...stored, toolName, toolCallId, text, isBornStored }];
  }
  return agedArgumentsOf(message).map((aged) => {
    const { id, scope, callId: toolCallId, replaced } = aged;
    const calls = AIMessage.isInstance(message) ? message.tool_calls : undefined;
    const toolName = calls?.find((call) => call.id === toolCallId)?.name ?? "tool";
    const text = (): string | undefined => (replaced ? undefined : argumentOf(message, aged));
    return { id, scope, toolName, toolCallId, text, isBornStored: false };
  });
}
