import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";

import { isGraphBubbleUp, isGraphInterrupt } from "@langchain/langgraph";

import type { CallResult } from "../../../drill-in/code/callable-tools.js";
import type { CodeToolCall } from "../../../drill-in/code/request.js";
import { orAborted } from "../../../util/abort.js";
import { isRecord } from "../../../util/is-record.js";
import { askPerson, catchUp } from "./ask-person.js";
import { createCallGate } from "./call-gate.js";
import type { CallKey } from "./call-log.js";
import { type CallOutcome, callOutcome, failure, refusal } from "./call-result.js";
import { callTeller, type ToldCall } from "./call-teller.js";
import { pastCalls } from "./past-calls.js";
import { type RunState, RunStopped } from "./run-parts.js";
import { callSentences } from "./sentences.js";
import { toolErrorText } from "../tool/errors/tool-error-text.js";

/** One run of the code from its beginning: with the results that it had before, if it ran before. */
export interface Attempt {
  call(call: CodeToolCall): Promise<CallResult>;
  /** Nobody waits for a result any more: tells of the calls that have none. */
  close(): void;
}

/** What became of a call that was begun in this attempt. */
type Ended = Omit<CallOutcome, "outcome"> & {
  readonly outcome: CallOutcome["outcome"] | "rejected" | "abandoned";
};

/** Of one call, as JSON. The engine itself hands over no more. */
const MAX_ARGUMENT_BYTES = 262_144;

/** Begins an attempt. */
export function beginAttempt(run: RunState): Attempt {
  const { calls, log, task, offloader, sessionId, signal } = run;
  const past = pastCalls(log.items);
  const gate = createCallGate(calls.maxToolCallsAtOnce);
  const teller = callTeller(run);
  const ending = new AbortController();
  // Every call that goes on listens to it; Node warns of more than ten.
  setMaxListeners(0, ending.signal);
  let timer: NodeJS.Timeout | undefined;
  let ofWaiting: (() => void) | undefined;
  const waitingIsDone = past.waiting && new Promise<void>((resolve) => (ofWaiting = resolve));
  let interrupted = 0;
  let isFull = false;

  async function invoke(key: CallKey, args: unknown, told: ToldCall): Promise<Ended> {
    const { toolName, index } = key;
    if (!run.names.includes(toolName))
      return refusal(callSentences.unknownTool(toolName, run.names));
    if (told.argumentBytes > MAX_ARGUMENT_BYTES) {
      return refusal(callSentences.longArguments(toolName, told.argumentBytes, MAX_ARGUMENT_BYTES));
    }
    if (!isRecord(args)) return refusal(callSentences.noObject(toolName));
    if (ending.signal.aborted) return refusal(callSentences.timeOver(calls.toolTimeoutMs));
    const call = { name: toolName, args };
    const asked = await askPerson(run, past, { key, call, onAsked: () => teller.asked(told) });
    if ("refused" in asked) return refusal(asked.refused);
    if ("rejected" in asked) {
      return { outcome: "rejected", result: { error: asked.rejected }, resultBytes: 0 };
    }
    try {
      const id = `${run.callId}.${index}`;
      const running = run.inContext(() => run.invoke({ ...asked.call, id }));
      const returned = await orAborted(running, ending.signal);
      return await callOutcome(returned, {
        offloader,
        limits: calls,
        toolName: asked.call.name,
        sessionId,
        signal,
      });
    } catch (error) {
      if (isGraphBubbleUp(error)) throw error;
      if (signal?.aborted === true) return run.stop({ thrown: signal.reason });
      if (!ending.signal.aborted)
        return await failure(toolErrorText(error), { offloader, toolName });
      return { ...refusal(callSentences.timeOver(calls.toolTimeoutMs)), outcome: "abandoned" };
    }
  }

  /** Ends the run by what a tool or a question threw, once what goes on beside it has its result. */
  async function interrupt(key: CallKey, question: number, error: unknown): Promise<never> {
    interrupted += 1;
    // Of tools that ask by themselves at once, the others ask when the first has its answer.
    const isFirst = run.end({ thrown: error });
    if (isFirst && isGraphInterrupt(error) && !isAsked(key)) {
      await log.add({ ...key, what: "asked", question }).catch(() => {});
    }
    await gate.quiet(interrupted);
    throw new RunStopped();
  }

  function isAsked({ index }: CallKey): boolean {
    return log.items.findLast((item) => item.index === index)?.what === "asked";
  }

  async function begin(key: CallKey, args: unknown, isAlone: boolean): Promise<CallResult> {
    run.check();
    const question = task?.asked() ?? 0;
    const told = teller.begun(key, args);
    let ended: Ended;
    try {
      ended = await invoke(key, args, told);
    } catch (error) {
      teller.forget(told);
      if (isGraphBubbleUp(error)) return await interrupt(key, question, error);
      throw error;
    }
    const questions = isAlone ? (task?.asked() ?? 0) : 0;
    // What cannot be kept is done all the same; no question is asked after it.
    if (!teller.isForgotten(told)) {
      await log.add({ ...key, what: "done", questions, result: ended.result }).catch(() => {});
    }
    teller.ended(told, ended);
    if (past.waiting?.index === key.index) ofWaiting?.();
    return ended.result;
  }

  return {
    async call({ toolName, args = {}, index }) {
      run.check();
      timer ??= setTimeout(() => ending.abort(), calls.toolTimeoutMs).unref();
      const text = JSON.stringify(args);
      const key = { index, toolName, args: createHash("sha256").update(text).digest("hex") };
      if (index >= calls.maxToolCalls) {
        const error = callSentences.tooMany(calls.maxToolCalls);
        if (!isFull) teller.ended(teller.begun(key, args), refusal(error));
        isFull = true;
        return { error };
      }
      const before = past.arrive(key);
      if (before !== undefined) {
        return run.stop({
          sentence: callSentences.otherWay(index, toolName, { before: before.toolName }),
        });
      }
      const done = past.done(index);
      if (done !== undefined) {
        await past.turnOf(done);
        catchUp(run, done.questions);
        past.told(done);
        return done.result;
      }
      await past.all();
      const isWaiting = past.waiting?.index === index;
      // An answer is there for one call, and for no other that may ask.
      if (!isWaiting) await waitingIsDone;
      const isAlone = isWaiting || calls.approvalFor.has(toolName);
      return await gate.run({ isAlone, run: () => begin(key, args, isAlone) });
    },
    close() {
      clearTimeout(timer);
      ending.abort();
      teller.close();
    },
  };
}
