import { randomUUID } from "node:crypto";
import { HumanMessage } from "@langchain/core/messages";
import { type StructuredTool, tool } from "@langchain/core/tools";
import { z } from "zod";

import { messageOf } from "../../src/util/error-message.js";
import { type ArmStore, createEvaluatedAgent } from "../agent.js";
import type { Arm } from "../arms.js";
import { createObserver } from "../observer.js";
import { givenAnswer } from "../given-answer.js";
import { isRight } from "../tasks/score-answer.js";
import type { AnswerForm, PracticeTask, TaskReceiver } from "../tasks/task.js";
import type { TokenCounter } from "../tokens.js";
import type { TaskResult } from "./results.js";
import { type Action, type Ask, seatModel } from "./seat-model.js";
import { type Transcript, writeTranscript } from "./transcript.js";

/** The tools of a task's agent: those that have its data, and the one that takes data. */
function taskTools({ outputs, receiver }: PracticeTask): StructuredTool[] {
  const sources = outputs.map(({ tool: name, description, load }) =>
    tool(() => load(), { name, description, schema: z.object({}) }),
  );
  return receiver === undefined ? sources : [...sources, receiving(receiver)];
}

function receiving(receiver: TaskReceiver): StructuredTool {
  const { tool: name, description, argument, argumentDescription, take } = receiver;
  const data = z.array(z.unknown()).describe(argumentDescription);
  return tool((args: Readonly<Record<string, unknown>>) => take(args[argument]), {
    name,
    description,
    schema: z.object({ [argument]: data }),
  });
}

/** What all conversations of a run have in common. */
export interface Holding extends ArmStore {
  readonly arm: Arm;
  readonly counter: TokenCounter;
  readonly signal: AbortSignal;
}

/** Calls of tools in one task, and tokens of one model call. */
const MAX_CALLS = 60;
const WINDOW_TOKENS = 200_000;

const FORM_RULES: Readonly<Record<AnswerForm, string>> = {
  number: "The answer is a number.",
  text: "The answer is a text.",
  list: "The answer is a JSON list, in this order.",
  set: "The answer is a JSON list, in any order.",
};

/** What the user asks. */
function promptOf({ question, form }: PracticeTask): string {
  return `${question}\n${FORM_RULES[form]}`;
}

/**
 * Holds one conversation with whoever plays the model, and scores it. The calls that fetch the data are made already and
 * are not counted; each later step counts all that stands before it.
 *
 * @throws the signal's reason when it aborts: an interrupted conversation is no result.
 */
export async function holdTask(
  task: PracticeTask,
  ask: Ask,
  { arm, offloader, directory, counter, signal }: Holding,
): Promise<TaskResult & { readonly transcript: Transcript }> {
  const observer = createObserver(counter, {
    maxCalls: MAX_CALLS + 2,
    windowTokens: WINDOW_TOKENS,
  });
  const actions: Action[] = [];
  const writer = writeTranscript(counter, directory);
  const asked: Ask = async (turn) => {
    writer.show(turn);
    const action = writer.unmasked(await ask(turn));
    actions.push(writer.masked(action));
    return action;
  };
  const tools = taskTools(task);
  const agent = createEvaluatedAgent({
    arm,
    model: seatModel(
      task.outputs.map(({ tool }) => tool),
      asked,
    ),
    tools,
    observer: observer.middleware,
    offloader,
    retryDelayMs: 0,
  });
  let ending: string = "answered";
  try {
    await agent.invoke(
      { messages: [new HumanMessage(promptOf(task))] },
      {
        configurable: { thread_id: randomUUID() },
        callbacks: [observer.callbackHandler],
        recursionLimit: 100 + 10 * MAX_CALLS,
        signal,
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    ending = observer.stop()?.reason ?? messageOf(error);
  }
  const last = actions.at(-1);
  const given =
    ending === "answered" && last !== undefined && "answer" in last ? last.answer : null;
  const steps = observer.calls.slice(1);
  return {
    task: task.id,
    kind: task.kind,
    ending: ending.slice(0, 500),
    given,
    right: ending === "answered" && isRight(task.form, answerIn(given), task.answer()),
    calls: actions.filter((action) => "tool" in action).length,
    inputTokens: steps.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    cachedTokens: steps.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0),
    outputTokens: steps.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    actions,
    transcript: writer.transcript(),
  };
}

/** What follows the word, where a player writes it as a model would. */
function answerIn(given: unknown): unknown {
  return typeof given === "string" && /answer:/i.test(given)
    ? (givenAnswer(given) ?? given)
    : given;
}
