import type { BaseMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import { OffloadError } from "../../../core/types/errors.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import type { RunSite } from "../run/call-site.js";
import { customStream } from "../run/custom-stream.js";
import { sessionOfTool } from "../run/session.js";
import { agingOf } from "./aging-plugin.js";
import { isSwitchedOff } from "./is-switched-off.js";

/** A conversation before a model call, in a graph that is written by hand. */
export interface AgedMessages {
  /** What the model is to be sent. */
  readonly shown: BaseMessage[];
  /**
   * What the node has to return beside the answer: messages that stand in for those of the same ids, as `MessagesAnnotation` lets
   * them; empty where nothing leaves.
   */
  readonly update: BaseMessage[];
}

/**
 * Lets stale results leave a conversation before a model is called, for nodes that call one themselves:
 * `const { shown, update } = await ageMessages(offloader, state.messages, config)`, then the model is sent `shown` and the node
 * returns `{ messages: [...update, answer] }`. What is shown depends on the messages alone once `update` is written.
 * Results belong to the thread of the config; without a thread nothing leaves. Never rejects for faults of a store.
 *
 * @param config - Of the node. Default: that of the run.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the offloader has no plug-in `aging()`.
 */
export async function ageMessages(
  offloader: Offloader,
  messages: readonly BaseMessage[],
  config: RunSite = ensureConfig(),
): Promise<AgedMessages> {
  const aging = agingOf(offloader);
  if (aging === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "ageMessages needs an offloader with the plug-in aging(), such as createOffloader({ plugins: [aging()] }).",
    );
  }
  const aged = await aging.age({
    messages,
    stateMessages: messages,
    sessionId: isSwitchedOff(config) ? undefined : sessionOfTool(config),
    windowTokens: offloader.options.contextWindowTokens,
    onEvent: customStream(config),
  });
  aged.tell();
  return { shown: [...aged.shown], update: [...aged.update] };
}
