import { randomUUID } from "node:crypto";

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { Offloader } from "langchain-offload";

import { createEvaluatedAgent } from "./agent.js";
import type { Arm } from "./arms.js";
import type { Corpus } from "./corpus.js";
import { createObserver, type Observer } from "./observer.js";
import type { JsonRecord } from "./record.js";
import { packageVersions } from "./package-versions.js";
import { countSeen, recordConversation } from "./record-conversation.js";
import { pagesOf, recordTool } from "./record-tool.js";
import { type Sample, SAMPLE_VERSION, type SampleKey } from "./sample.js";
import type { Task } from "./tasks.js";
import type { TokenCounter } from "./tokens.js";
import { isTooLong, isTransient } from "./transient.js";

/** All that one conversation takes. */
export interface SampleParts {
  readonly key: SampleKey;
  readonly arm: Arm;
  readonly corpus: Corpus;
  readonly records: readonly JsonRecord[];
  readonly task: Task;
  readonly model: BaseChatModel;
  readonly counter: TokenCounter;
  readonly offloader: Offloader | undefined;
  readonly retryDelayMs: number;
  readonly signal: AbortSignal;
}

/**
 * Holds one conversation and says all about it. A fault of the model becomes the outcome `error`.
 *
 * @throws the signal's reason when it aborts: an interrupted conversation is no result.
 */
export async function runSample(parts: SampleParts): Promise<Sample> {
  const { key, arm, corpus, records, task, model, counter, signal } = parts;
  const maxCalls = arm.maxCalls(
    arm.pageSize === undefined ? 1 : pagesOf(records.length, arm.pageSize),
  );
  const observer = createObserver(counter, { maxCalls, windowTokens: key.windowTokens });
  const agent = createEvaluatedAgent({
    ...parts,
    model,
    tools: [recordTool(corpus, records, arm)],
    observer: observer.middleware,
  });
  const start = performance.now();
  let ended: Ended;
  try {
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(task.prompt)] },
      {
        configurable: { thread_id: randomUUID() },
        callbacks: [observer.callbackHandler],
        // Each call of the model is a few steps of the graph.
        recursionLimit: 100 + 10 * maxCalls,
        signal,
      },
    );
    ended = { outcome: "answered", messages, reply: messages.at(-1)?.text ?? "" };
  } catch (error) {
    signal.throwIfAborted();
    ended = endedBy(error, observer);
  }
  const { messages, ...rest } = ended;
  return {
    version: SAMPLE_VERSION,
    ...key,
    versions: packageVersions(),
    prompt: task.prompt,
    ...rest,
    calls: [...observer.calls],
    offloaded: messages.some(isDescriptor),
    recordsSeen: countSeen(messages, new Set(records.map(({ id }) => id))),
    durationMs: Math.round(performance.now() - start),
    messages: recordConversation(messages),
  };
}

interface Ended extends Pick<Sample, "outcome" | "reply" | "error" | "refusedTokens"> {
  readonly messages: readonly BaseMessage[];
}

function endedBy(error: unknown, observer: Observer): Ended {
  const messages = observer.conversation();
  const stop = observer.stop();
  const base = { messages, reply: "" };
  if (stop?.reason === "turn-limit") return { ...base, outcome: "turn-limit" };
  if (stop !== undefined) {
    return { ...base, outcome: "did-not-fit", refusedTokens: stop.inputTokens };
  }
  const text = error instanceof Error ? error.message : String(error);
  const outcome = isTooLong(error) && !isTransient(error) ? "did-not-fit" : "error";
  return { ...base, outcome, error: text.slice(0, 2_000) };
}

/** Whether a message stands for an output: an artifact of ours, or the message of deepagents' eviction. */
function isDescriptor(message: BaseMessage): boolean {
  if (message.type !== "tool") return false;
  const artifact: unknown = Reflect.get(message, "artifact");
  return (
    (typeof artifact === "object" && artifact !== null && "scope" in artifact) ||
    message.text.startsWith("Tool result too large")
  );
}
