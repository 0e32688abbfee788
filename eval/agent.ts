import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { createDeepAgent, GENERAL_PURPOSE_SUBAGENT } from "deepagents";
import { type AgentMiddleware, createAgent, modelRetryMiddleware } from "langchain";
import { createOffloader, fileStore, type Offloader, offloadMiddleware } from "langchain-offload";
import { code as sandbox } from "langchain-offload/code";

import type { Arm } from "./arms.js";
import { ANSWER_RULE } from "./given-answer.js";
import { isTransient } from "./transient.js";

/** An agent as far as the evaluation needs it. */
export interface EvaluatedAgent {
  readonly invoke: (
    input: { readonly messages: readonly BaseMessage[] },
    config: object,
  ) => Promise<{ readonly messages: readonly BaseMessage[] }>;
}

/** What one conversation's agent is made of. */
export interface AgentParts {
  readonly arm: Arm;
  readonly model: BaseChatModel;
  readonly tools: readonly StructuredTool[];
  readonly observer: AgentMiddleware;
  /** That of {@link createArmOffloader}, where the arm has one. */
  readonly offloader: Offloader | undefined;
  /** First wait before a failed model call is tried again; it doubles. */
  readonly retryDelayMs: number;
}

const MAX_RETRIES = 4;

/** The offloader that all conversations of an arm share; `undefined` for arms without. */
export function createArmOffloader(
  { agent, options, sql = false, code = false }: Arm,
  directory: string,
  windowTokens: number,
): Offloader | undefined {
  if (agent !== "offload") return undefined;
  const { drillIn, ...rest } = options?.() ?? {};
  return createOffloader({
    ...rest,
    contextWindowTokens: windowTokens,
    store: fileStore({ directory }),
    drillIn:
      drillIn === false
        ? false
        : {
            ...drillIn,
            sql: sql === true ? {} : sql,
          },
    plugins: code ? [sandbox()] : [],
  });
}

/** Makes the agent for one conversation. */
export function createEvaluatedAgent(parts: AgentParts): EvaluatedAgent {
  const { arm, model, observer, offloader, retryDelayMs } = parts;
  const tools = [...parts.tools];
  const retry = modelRetryMiddleware({
    maxRetries: MAX_RETRIES,
    initialDelayMs: retryDelayMs,
    retryOn: isTransient,
    onFailure: "error",
  });
  const own: AgentMiddleware[] = [retry, observer];
  if (arm.agent === "deepagents") {
    return createDeepAgent({
      model,
      tools,
      systemPrompt: ANSWER_RULE,
      middleware: own,
      // Its calls count too.
      subagents: [{ ...GENERAL_PURPOSE_SUBAGENT, tools, middleware: own }],
    }) as unknown as EvaluatedAgent;
  }
  return createAgent({
    model,
    tools,
    systemPrompt: ANSWER_RULE,
    middleware: offloader === undefined ? own : [offloadMiddleware({ offloader }), ...own],
  }) as unknown as EvaluatedAgent;
}
