import { randomUUID } from "node:crypto";

import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ContentBlock } from "@langchain/core/messages";

import { OffloadError } from "../../core/types/errors.js";
import { checkedOptions, objectOf, optionsOf, wholeNumber } from "../../util/option-rules.js";
import type { Offloader } from "../../core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../core/options/options.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { turnOf } from "./model-call/conversation.js";
import { customStream } from "./run/custom-stream.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import type { RunSite } from "./run/call-site.js";
import { carriedOf, STORED_IN_METADATA } from "./run/carried.js";
import { overridesOf } from "./run/run-overrides.js";
import { isCheckpointed, sessionOfTool } from "./run/session.js";
import { messagesOf } from "./run/state-messages.js";
import { contentOf } from "./tool/tool-value.js";

/** Which messages of the user leave the context. */
export interface HumanMessageOptions {
  /** Largest text of a message that stays as it is, at least 1,000 tokens; one of exactly this size stays. */
  readonly threshold: { readonly tokens: number };
}

/** Below this, the descriptor and what it keeps of the message would not pay. */
const LEAST_TOKENS = 1_000;
const schema = optionsOf({ threshold: optionsOf({ tokens: wholeNumber(LEAST_TOKENS) }) });

/**
 * A node for hand-written graphs that stores long messages of the user: put it before the node that calls the
 * model. What stays in the conversation is the message's beginning and end with a descriptor between them; images
 * and files stay beside it. Of a conversation that a checkpointer keeps, only messages that no model has answered yet are
 * taken, so that what a model was once sent never changes. A message that cannot be stored, or has no id, stays as it is.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadHumanMessages(
  messageOptions: HumanMessageOptions & GivenOffloader<Omit<OffloadOptions, "threshold">>,
): (state: unknown, config?: RunSite) => Promise<{ messages?: BaseMessage[] }> {
  const { threshold, ...given } = objectOf("offloadHumanMessages", messageOptions);
  const offloader = givenOffloader(given, { factory: "offloadHumanMessages" });
  const options = checkHumanMessages({ threshold }, offloader);
  return async (state, config = {}) => {
    const { configurable } = config;
    const sessionId = sessionOfTool({ configurable, state }) ?? randomUUID();
    const replaced = await replaceLong(offloader, { state, config, sessionId, options });
    return replaced.length === 0 ? {} : { messages: replaced.map(({ message }) => message) };
  };
}

/** A message that takes the place of one with the same id, and what was stored of it. */
export interface ReplacedMessage {
  readonly message: HumanMessage;
  readonly stored: OffloadedOutput["storedArtifact"];
}

/**
 * Stores the long messages of the user among those of a state: where a checkpointer keeps them, only what no model has answered
 * yet, since the others stay as they were sent to it. Where the application hands in all of them in each run, each is stored
 * as it was before.
 */
export async function replaceLong(
  offloader: Offloader,
  run: {
    readonly state: unknown;
    readonly config: RunSite;
    readonly sessionId: string;
    readonly options: HumanMessageOptions;
  },
): Promise<readonly ReplacedMessage[]> {
  const { state, config, sessionId, options } = run;
  const messages = messagesOf(state);
  const lastAnswer = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const born = messages.slice(isCheckpointed(config) ? lastAnswer + 1 : 0).filter(isOfUser);
  const overrides = Object.assign({}, overridesOf(config, undefined), options);
  const place = { sessionId, overrides, turn: turnOf(messages) };
  const replaced = await Promise.all(
    born.map(async (message): Promise<ReplacedMessage[]> => {
      const { text, kept } = partsOf(message);
      if (text === "") return [];
      const result = await offloader.offload(
        { ...place, toolName: "user_message", value: text, unwrapped: true, origin: "user" },
        customStream(config),
      );
      if (result.outcome !== "offloaded") return [];
      const content = contentOf({ text: result.text, keptBlocks: kept });
      const stored = result.storedArtifact;
      return [{ message: withContent(message, content, stored), stored }];
    }),
  );
  return replaced.flat();
}

/** The options as they are, if they can be used. */
export function checkHumanMessages(
  options: HumanMessageOptions,
  { options: { toolNames } }: Offloader,
): HumanMessageOptions {
  const checked = checkedOptions<HumanMessageOptions>("messages of the user", schema, options);
  if (Object.values(toolNames).every((name) => name === undefined)) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "Messages of the user are offloaded only where a model can read them: drillIn leaves no tool for that.",
    );
  }
  return checked;
}

/** Whether the user wrote it, and it can be replaced. */
function isOfUser(message: BaseMessage): message is HumanMessage {
  return (
    HumanMessage.isInstance(message) &&
    message.id !== undefined &&
    // A summary of the conversation is told as if the user had.
    message.additional_kwargs["lc_source"] !== "summarization"
  );
}

function partsOf({ content }: HumanMessage): {
  readonly text: string;
  readonly kept: readonly ContentBlock[];
} {
  if (typeof content === "string") return { text: content, kept: [] };
  const texts = content.flatMap((block) =>
    block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return { text: texts.join("\n"), kept: content.filter(({ type }) => type !== "text") };
}

function withContent(
  { id, name, additional_kwargs, response_metadata }: HumanMessage,
  content: HumanMessage["content"],
  stored: ReplacedMessage["stored"],
): HumanMessage {
  return new HumanMessage({
    content,
    additional_kwargs,
    response_metadata: { ...response_metadata, [STORED_IN_METADATA]: carriedOf(stored) },
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
  });
}
