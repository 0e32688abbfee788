import {
  type ActionCall,
  type Decision,
  decisionOf,
  questionOf,
  UnusableAnswer,
} from "./approval.js";
import type { CallKey } from "./call-log.js";
import type { PastCalls } from "./past-calls.js";
import type { RunState } from "./run-parts.js";
import { callSentences } from "./sentences.js";

/** What became of a question that stands before a call. */
export type Asked = Decision | { readonly refused: string };

/**
 * Asks a person whether a call may be made. While there is no answer the run ends by what this throws; when it is
 * resumed, it comes here again.
 *
 * @param onAsked - Called once for each question, before it is asked.
 */
export async function askPerson(
  run: RunState,
  past: Pick<PastCalls, "waiting" | "hasBegun">,
  {
    key,
    call,
    onAsked,
  }: { readonly key: CallKey; readonly call: ActionCall; readonly onAsked: () => void },
): Promise<Asked> {
  const { task, log, calls, inContext } = run;
  const { name } = call;
  const rule = calls.approvalFor.get(name);
  if (rule === undefined) return { call };
  if (task === undefined) return { refused: callSentences.nobodyToAsk(name) };
  if (!task.isAlone) return { refused: callSentences.askAlone(name) };
  if (!log.isKept()) return { refused: callSentences.notKept(name) };
  if (past.hasBegun(key.index)) {
    catchUp(run, task.asked() + 1);
    return { refused: callSentences.unknownEnd(name) };
  }
  const question = questionOf(call, rule);
  if (past.waiting?.index === key.index) {
    catchUp(run, past.waiting.question);
  } else {
    // An answer that is there already is one to something else.
    while (task.hasAnswer()) inContext(() => task.ask(question));
    try {
      await log.add({ ...key, what: "asked", question: task.asked() });
    } catch {
      return { refused: callSentences.notKept(name) };
    }
    onAsked();
  }
  const answer = inContext(() => task.ask(question));
  let decision: Decision;
  try {
    decision = decisionOf(answer, call, rule, run.names);
  } catch (error) {
    if (!(error instanceof UnusableAnswer)) throw error;
    return run.stop({ sentence: callSentences.unusable(name, error.message) });
  }
  if ("call" in decision) {
    try {
      await log.add({ ...key, what: "agreed" });
    } catch {
      return { refused: callSentences.notKept(name) };
    }
  }
  return decision;
}

/** Takes the answers to the first so many questions, which were asked before the run was resumed. */
export function catchUp(run: RunState, questions: number): void {
  const { task, inContext } = run;
  if (task === undefined) return;
  while (task.asked() < questions) {
    if (!task.hasAnswer()) run.stop({ sentence: callSentences.answersGone });
    inContext(() => task.ask(undefined));
  }
}
