import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { createDeepAgent, GENERAL_PURPOSE_SUBAGENT } from "deepagents";
import { type AgentMiddleware, createAgent, modelRetryMiddleware } from "langchain";
import { createOffloader, fileStore, type Offloader, offloadMiddleware } from "langchain-offload";
import { code as sandbox } from "langchain-offload/code";
import { references } from "langchain-offload/references";

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
  readonly offloader: Offloader | undefined;
  /** First wait before a failed model call is tried again; it doubles. */
  readonly retryDelayMs: number;
}

const MAX_RETRIES = 4;

/** What all conversations of an arm share. */
export interface ArmStore {
  /** `undefined` for arms without. */
  readonly offloader: Offloader | undefined;
  /** Where the outputs are stored. */
  readonly directory: string;
}

/** Stored outputs go to a temporary folder that is gone at the end. */
export async function withArm<Result>(
  arm: Arm,
  windowTokens: number,
  use: (store: ArmStore) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "eval-"));
  const offloader = createArmOffloader(arm, directory, windowTokens);
  try {
    return await use({ offloader, directory });
  } finally {
    await offloader?.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function createArmOffloader(
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
    drillIn: drillIn === false ? false : { ...drillIn, sql: sql === true ? {} : sql },
    plugins: [references(), ...(rest.plugins ?? []), ...(code ? [sandbox()] : [])],
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
