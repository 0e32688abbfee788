import type { AIMessage } from "@langchain/core/messages";

/** A copy of the same class with other fields. */
export function withFields(message: AIMessage, fields: object): AIMessage {
  const copy: AIMessage = Object.create(Object.getPrototypeOf(message));
  return Object.assign(copy, message, fields, { lc_kwargs: { ...message.lc_kwargs, ...fields } });
}
