import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { fieldOf } from "../../../../util/field-of.js";
import { isRecord } from "../../../../util/is-record.js";
import { OWN_METADATA } from "../messages/mark.js";
import { withFields } from "./with-fields.js";
import { withArguments } from "./with-arguments.js";

/** A value among the arguments of an old call that has left the context; it stands on the model's message. */
export interface AgedArgument {
  readonly callId: string;
  readonly parameter: string;
  /** What stands in place of the value. */
  readonly stub: string;
  readonly id: string;
  readonly scope: string;
  /** Tokens that the context is smaller by, estimated; absent in marks of older versions. */
  readonly savedTokens?: number | undefined;
  /** The message itself holds the value no more. */
  readonly replaced?: true | undefined;
}

/** The aged arguments of a message, in order. */
export function agedArgumentsOf(message: BaseMessage): readonly AgedArgument[] {
  const aged = fieldOf(fieldOf(message.response_metadata, OWN_METADATA), "arguments");
  if (!Array.isArray(aged) || !AIMessage.isInstance(message)) return [];
  return aged.filter((one): one is AgedArgument => {
    const texts = ["callId", "parameter", "stub", "id", "scope"].map((key) => fieldOf(one, key));
    return texts.every((text) => typeof text === "string");
  });
}

/** The same message with marks; in mode `replace` with the stubs in place of the values. */
export function withAgedArguments(message: AIMessage, aged: readonly AgedArgument[]): AIMessage {
  const shown = aged.some(({ replaced }) => replaced) ? withArguments(message, aged) : message;
  const before: unknown = message.response_metadata[OWN_METADATA];
  const own = { ...(isRecord(before) ? before : undefined), arguments: aged };
  return withFields(shown ?? message, {
    response_metadata: { ...(shown ?? message).response_metadata, [OWN_METADATA]: own },
  });
}
