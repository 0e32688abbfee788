import { interrupt } from "@langchain/langgraph";

import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { isCheckpointed } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { unansweredCalls } from "../run/turn.js";

/** What LangGraph knows of the task in which a tool runs, where that task can wait for a person and be resumed. */
export interface ResumableTask {
  /** The same when the task is resumed, also in another process, and of no other task. */
  readonly id: string;
  /** Whether it runs one call of the model: where it runs several, an answer may be that to another one's question. */
  readonly isAlone: boolean;
  /** How many questions it has asked, answered ones among them, since it was begun or resumed. */
  asked(): number;
  /** Whether the next question has an answer already. */
  hasAnswer(): boolean;
  /** Asks; ends the task by what it throws, or gives the answer where there is one. */
  ask(question: unknown): unknown;
}

/** `undefined` where nothing can be resumed: outside a graph, without a checkpointer, or where LangGraph keeps it elsewhere. */
export function resumableTask(
  configurable: Readonly<Record<string, unknown>> | undefined,
  state: unknown,
): ResumableTask | undefined {
  const id = configurable?.["checkpoint_ns"];
  const pad = configurable?.["__pregel_scratchpad"];
  if (!isCheckpointed({ configurable }) || typeof id !== "string" || id === "" || !isPad(pad))
    return undefined;
  return {
    id,
    isAlone: isSent(pad.currentTaskInput) || unansweredCalls(messagesOf(state)).calls.length <= 1,
    asked: () => pad.interruptCounter + 1,
    hasAnswer: () => pad.resume.length > pad.interruptCounter + 1 || pad.nullResume !== undefined,
    ask: (question) => interrupt(question),
  };
}

/** What LangGraph notes of a task; `interrupt()` itself reads it. */
interface Pad {
  readonly interruptCounter: number;
  readonly resume: readonly unknown[];
  readonly nullResume?: unknown;
  readonly currentTaskInput?: unknown;
}

function isPad(value: unknown): value is Pad {
  return (
    isRecord(value) &&
    typeof value["interruptCounter"] === "number" &&
    Array.isArray(value["resume"])
  );
}

/** Agents of LangChain send each call to a task of its own. */
function isSent(input: unknown): boolean {
  return fieldOf(input, "lg_tool_call") !== undefined;
}
