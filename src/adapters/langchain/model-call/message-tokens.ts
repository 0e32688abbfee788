import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { fieldOf } from "../../../util/field-of.js";
import { usageOf } from "./usage-of.js";
import { shownTokens } from "../../../core/content/media/shown-media.js";

const BYTES_PER_TOKEN = 4;

const counted = new WeakMap<BaseMessage, number>();

/** Tokens of a message, estimated as a quarter of its bytes; images and the like count nothing, but for what this library shows. */
export function messageTokens(message: BaseMessage): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = Math.ceil(bytesOf(message) / BYTES_PER_TOKEN) + (shownTokens(message) ?? 0);
  counted.set(message, tokens);
  return tokens;
}

function bytesOf(message: BaseMessage): number {
  const { content } = message;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const callBytes = calls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(calls));
  if (typeof content === "string") return callBytes + Buffer.byteLength(content);
  const texts = content.map((block) => fieldOf(block, "text"));
  return texts.reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : 0),
    callBytes,
  );
}

/** What the model reads in all: what its provider counted last, and an estimate of what came after. */
export function contextTokens(messages: readonly BaseMessage[]): number {
  let tokens = 0;
  for (let place = messages.length - 1; place >= 0; place -= 1) {
    const message = messages[place];
    const used = usageOf(message);
    if (used !== undefined) return tokens + used;
    tokens += message === undefined ? 0 : messageTokens(message);
  }
  return tokens;
}
