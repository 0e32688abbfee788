import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { ARTIFACT_ID_PATTERN } from "../../../../core/store/naming.js";
import { fieldOf } from "../../../../util/field-of.js";
import { messageWith } from "../../tool/message-with.js";

/** Most tokens of the line that stands for a result with a usual id; the dearest id has 8 more. */
export const MAX_STUB_TOKENS = 40;

/** What is written onto a result that has left the context; from then on it alone decides what the model is shown. */
export interface AgedMark {
  /** What the model sees in place of the result. */
  readonly stub: string;
  /** Tokens that the context is smaller by, estimated. */
  readonly savedTokens: number;
  /** Where the result is stored; absent where the stub names no stored output. */
  readonly id?: string | undefined;
  readonly scope?: string | undefined;
  /** The message itself holds the result no more. */
  readonly replaced?: true | undefined;
}

/** Where `response_metadata` has it. */
const OWN_METADATA = "langchain-offload-aging";
/** Where LangChain's context editing notes what it has cleared; it passes over what has this. */
const EDITING = "context_editing";

/** The mark of a message; `undefined` without one. */
export function markOf(message: BaseMessage): AgedMark | undefined {
  const mark = fieldOf(message.response_metadata, OWN_METADATA);
  if (mark === undefined || typeof fieldOf(mark, "stub") !== "string") return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this library, and its stub is a text
  return ToolMessage.isInstance(message) ? (mark as AgedMark) : undefined;
}

/** Whether somebody else has taken the content away, so that there is nothing left to keep. */
export function isCleared(message: BaseMessage): boolean {
  return fieldOf(fieldOf(message.response_metadata, EDITING), "cleared") === true;
}

/** Id and scope of what a mark names. */
export function storedBy({ id, scope }: AgedMark): { id: string; scope: string } | undefined {
  const isNamed = typeof id === "string" && ARTIFACT_ID_PATTERN.test(id);
  return isNamed && typeof scope === "string" ? { id, scope } : undefined;
}

/** The same message with a mark, and in mode `replace` without the result. */
export function withMark(message: ToolMessage, mark: AgedMark): ToolMessage {
  const own = { [OWN_METADATA]: mark, [EDITING]: { cleared: true } };
  const content = mark.replaced ? mark.stub : message.content;
  return messageWith(message, {
    content,
    response_metadata: { ...message.response_metadata, ...own },
  });
}
