import { randomUUID } from "node:crypto";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage, AIMessage } from "@langchain/core/messages";
import type { Offloader } from "langchain-offload";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";

import { messageOf } from "../src/util/error-message.js";
import { createEvaluatedAgent } from "./agent.js";
import type { Arm } from "./arms.js";
import type { Corpus } from "./corpus.js";
import { createObserver, type Observer } from "./observer.js";
import type { JsonRecord } from "./record.js";
import { packageVersions } from "./package-versions.js";
import { type Sample, SAMPLE_VERSION, type SampleKey, type RecordedMessage } from "./sample.js";
import type { Task } from "./tasks.js";
import type { TokenCounter } from "./tokens.js";
import { isTooLong, isTransient } from "./transient.js";

/** Makes the tool that returns a set of records as an arm has it: all of them at once, or page by page. */
function recordTool(
  corpus: Corpus,
  records: readonly JsonRecord[],
  { pageSize, lines = false }: Pick<Arm, "pageSize" | "lines">,
): DynamicStructuredTool {
  const args = Object.fromEntries(
    Object.entries(corpus.args).map(([name, value]) => [name, z.literal(value)]),
  );
  if (pageSize === undefined) {
    const text = lines
      ? records.map((record) => JSON.stringify(record)).join("\n")
      : JSON.stringify(records);
    return tool(() => text, {
      name: corpus.tool,
      description: corpus.description,
      schema: z.object(args),
    });
  }
  const pages = pagesOf(records.length, pageSize);
  return tool(
    ({ page }: { readonly page: number }) => {
      if (page < 1 || page > pages) return `There are pages 1 to ${pages}.`;
      const start = (page - 1) * pageSize;
      const next_page = page < pages ? page + 1 : null;
      return JSON.stringify({
        page,
        pages,
        total: records.length,
        next_page,
        records: records.slice(start, start + pageSize),
      });
    },
    {
      name: corpus.tool,
      description: `${corpus.description} A call returns one page of ${pageSize}.`,
      schema: z.object({ ...args, page: z.int().describe("From 1.") }),
    },
  );
}

/** Pages of a set; one at least. */
function pagesOf(records: number, pageSize: number): number {
  return Math.max(1, Math.ceil(records / pageSize));
}

/** Of a tool's output so much is recorded, in characters; it is made anew from the seed. */
const MAX_TOOL_CHARACTERS = 1_000;

/** The messages of a conversation as they are recorded. */
function recordConversation(messages: readonly BaseMessage[]): RecordedMessage[] {
  return messages.map((message) => {
    const { text } = message;
    const isLong = message.type === "tool" && text.length > MAX_TOOL_CHARACTERS;
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return {
      role: message.type,
      text: isLong ? text.slice(0, MAX_TOOL_CHARACTERS) : text,
      ...(isLong && { characters: text.length }),
      ...(calls.length > 0 && { toolCalls: calls.map(({ name, args }) => ({ name, args })) }),
    };
  });
}

/** How many of the records appear with their id in what tools have answered. */
function countSeen(messages: readonly BaseMessage[], ids: ReadonlySet<string>): number {
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.type !== "tool") continue;
    for (const [word] of message.text.matchAll(/[\w-]{8,}/g)) if (ids.has(word)) seen.add(word);
  }
  return seen.size;
}

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
  const text = messageOf(error);
  const outcome = isTooLong(error) && !isTransient(error) ? "did-not-fit" : "error";
  return { ...base, outcome, error: text.slice(0, 2_000) };
}

/** Whether a message stands for an output: an artifact of ours, or the message of deepagents' eviction. */
function isDescriptor(message: BaseMessage): boolean {
  if (message.type !== "tool") return false;
  const artifact: unknown = Reflect.get(message, "artifact");
  return (
    (typeof artifact === "object" && artifact !== null && "sessionKey" in artifact) ||
    message.text.startsWith("Tool result too large")
  );
}
