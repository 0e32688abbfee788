import { randomUUID } from "node:crypto";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";

import { checkedOverrides } from "../../../core/options/resolve.js";
import { refuseOptions } from "../../../core/types/errors.js";
import { checkedOptions, optionsOf, wholeNumber } from "../../../util/option-rules.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { OffloadPlugin, PluginHooks } from "../../../core/types/plugin.js";
import { pluginStateOf } from "../agent-host.js";
import type { AgentHooks, AgentHost } from "../agent-hooks.js";
import { turnOf } from "../model-call/context.js";
import {
  customStream,
  messagesOf,
  overridesOf,
  type RunSite,
  runOf,
  sessionOfTool,
} from "../run/session.js";
import { carriedOf, STORED_IN_METADATA } from "../run/carried.js";
import { contentOf, messageWith, partsOf } from "../tool/messages.js";
import { type Describer, MAX_SHARE, withSameIds } from "../../../core/describe/describer.js";
import { suitedTools } from "../../../core/describe/guidance.js";
import { headAndTail } from "../../../core/describe/head-and-tail.js";
import { safeJson } from "../../../util/safe-text.js";
import { baseSummary } from "../../../core/describe/summary.js";

/** Which user messages leave the context. */
export interface HumanMessagesOptions {
  /**
   * Largest text of a message that stays as it is, at least 1,000 tokens; one of exactly this size stays.
   * @remarks Set it to the longest question that you expect from users.
   */
  readonly threshold: { readonly tokens: number };
}

const optionsByHooks = new WeakMap<PluginHooks, HumanMessagesOptions>();

const LEAST_TOKENS = 1_000;
const schema = optionsOf({ threshold: optionsOf({ tokens: wholeNumber(LEAST_TOKENS) }) });

/**
 * Stores long user messages before the model first sees them. Their beginning and end stay, with a descriptor between
 * them. Works in agents with `offloadMiddleware`, and in hand-written graphs with {@link offloadHumanMessages}.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function humanMessages(options: HumanMessagesOptions): OffloadPlugin {
  const checked = checkedOptions<HumanMessagesOptions>("humanMessages", schema, options);
  return {
    name: "human-messages",
    setup() {
      const hooks: PluginHooks = {
        agent: ({ offloader }: AgentHost): AgentHooks => {
          checkReadable(offloader);
          return {
            async beforeAgent({ state, runtime: config, sessionId }) {
              if (sessionId === undefined) return undefined;
              const replaced = await replaceLong(offloader, checked, state, config, sessionId);
              return replaced.messages.length === 0 ? undefined : replaced;
            },
          };
        },
      };
      optionsByHooks.set(hooks, checked);
      return hooks;
    },
  };
}

/**
 * A node for hand-written graphs that stores long user messages. Put it before the node that calls the model. The
 * beginning and end of a message stay in the conversation with a descriptor between them, and so do its images and
 * files. In a checkpointed conversation it takes only messages that no model has answered yet, so what a model has seen
 * never changes. A message that cannot be stored, or has no id, stays as it is.
 * @param offloader - With the plugin {@link humanMessages}.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the offloader has no such plugin, or no tool that
 * reads.
 */
export function offloadHumanMessages(
  offloader: Offloader,
): (state: unknown, config?: RunSite) => Promise<{ messages?: BaseMessage[] }> {
  const plugin = "humanMessages({ threshold: { tokens: 8000 } })";
  const options = pluginStateOf(offloader, optionsByHooks, "offloadHumanMessages", plugin);
  checkReadable(offloader);
  return async (state, given) => {
    const config: RunSite = { ...runOf(given), state };
    const sessionId = sessionOfTool(config) ?? randomUUID();
    const { messages } = await replaceLong(offloader, options, state, config, sessionId);
    return messages.length === 0 ? {} : { messages };
  };
}

async function replaceLong(
  offloader: Offloader,
  options: HumanMessagesOptions,
  state: unknown,
  config: RunSite,
  sessionId: string,
): Promise<{ readonly messages: HumanMessage[]; readonly _offloads: Record<string, string> }> {
  const messages = messagesOf(state);
  const lastAnswer = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const isCheckpointed = Boolean(config.configurable?.["__pregel_checkpointer"]);
  const newMessages = messages.slice(isCheckpointed ? lastAnswer + 1 : 0).filter(isOfUser);
  const overrides = { ...checkedOverrides(overridesOf(config)), ...options };
  const _offloads: Record<string, string> = {};
  const replaced = await Promise.all(
    newMessages.map(async (message): Promise<HumanMessage[]> => {
      const { texts, kept } = partsOf(message.content);
      const text = texts.join("\n");
      if (text === "") return [];
      const result = await internals(offloader).core.offloadUser({
        sessionId,
        overrides,
        turn: turnOf(messages),
        toolName: "user_message",
        value: text,
        keptBlocks: kept,
        describer: describeUserMessage,
        onEvent: customStream(config),
      });
      if (result.outcome !== "offloaded") return [];
      const { storedArtifact, keptBlocks } = result;
      _offloads[storedArtifact.id] = storedArtifact.sessionKey;
      const stored = { [STORED_IN_METADATA]: carriedOf(storedArtifact) };
      return [
        messageWith(message, {
          content: contentOf({ text: result.text, keptBlocks }),
          response_metadata: { ...message.response_metadata, ...stored },
        }),
      ];
    }),
  );
  return { messages: replaced.flat(), _offloads };
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` when no tool reads what is stored */
function checkReadable({ options: { toolNames } }: Offloader): void {
  if (Object.values(toolNames).some((name) => name !== undefined)) return;
  refuseOptions(
    "User messages are offloaded only if the model can read them back, and drillIn leaves no tool for that.",
  );
}

function isOfUser(message: BaseMessage): message is HumanMessage {
  return (
    HumanMessage.isInstance(message) &&
    message.id !== undefined &&
    // LangChain stores a summary of the conversation as a user message.
    message.additional_kwargs["lc_source"] !== "summarization"
  );
}

const MAX_TOKENS = 1_000;

/** Keeps the beginning and the end, where users say what they want: at most 80 % of the text, and 1,000 tokens. */
export const describeUserMessage: Describer = async (input) => {
  const { storedArtifact, text, count, tools, parts = [] } = input;
  const { filePath, id, tokens } = storedArtifact;
  const names = suitedTools(storedArtifact, tools).join(", ");
  const reading = names === "" ? "" : ` Read it by file_path with ${names}.`;
  const between = (omittedBytes: number) =>
    safeJson({
      offloaded: true,
      summary: { ...baseSummary(storedArtifact), omitted_bytes: omittedBytes },
      file_path: filePath ?? id,
      guidance: [
        `This line stands in the user's message for what is too long to show. The whole message is stored.${reading}`,
        ...parts.flatMap(({ guidance }) => guidance ?? []),
      ].join(" "),
    });
  const limit = { tokens: Math.min(MAX_TOKENS, Math.floor(MAX_SHARE * tokens)) };
  const { head, tail, droppedBytes } = await headAndTail({
    text,
    limit,
    // The random characters of the id must not affect what is left.
    count: async (left) => await count(withSameIds(left, storedArtifact)),
    leastCharacters: 0,
    notice: (dropped) => `\n\n${between(dropped)}\n\n`,
  });
  const left = `${head}\n\n${between(droppedBytes)}\n\n${tail}`;
  return { form: "text", text: left, tokens: await count(left) };
};
