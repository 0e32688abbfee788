import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";

import type { ToolMessage } from "@langchain/core/messages";
import { type Command, isGraphBubbleUp, isGraphInterrupt } from "@langchain/langgraph";

import type { CallableTools, CodeToolCall } from "../../../plugins/code/request.js";
import { emit } from "../../../core/types/events.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { ownToolNames } from "../../../core/options/tools.js";
import { scopeOf } from "../../../core/store/naming.js";
import { orAborted } from "../../../util/abort.js";
import { isRecord } from "../../../util/is-record.js";
import type { CallSite } from "../run/call-site.js";
import { customStream } from "../run/custom-stream.js";
import { toolErrorText } from "../tool/errors/tool-error-text.js";
import { type CallOutcome, callOutcome, failure, refusal } from "./call-result.js";
import { callSentences } from "./sentences.js";

/** The calls that one run of code makes, from the model's call of the code to its answer. */
export interface CallsOfRun extends CallableTools {
  /** Nobody waits for a result any more: tells of the calls that have none. */
  close(): void;
}

/** Calls a tool of the agent, as a call of the model with this id would. */
export type InvokeTool = (call: {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}) => Promise<ToolMessage | Command>;

/** A call that was begun, and has to be told of. */
interface BegunCall extends Pick<CodeToolCall, "toolName" | "index"> {
  readonly argumentBytes: number;
  readonly startedAt: number;
}

/** Of one call, as JSON. The engine itself hands over no more. */
const MAX_ARGUMENT_BYTES = 262_144;

/** The tools that code may call, where somebody can call them. */
export function callableNames({ options }: Pick<Offloader, "options">): readonly string[] {
  return listedNames(options).filter((name) => options.code?.calls?.asking.has(name) === false);
}

/** The same with those that code is told to leave to the model. */
function listedNames(options: Offloader["options"]): readonly string[] {
  const own = ownToolNames(options);
  return options.code?.calls?.tools.filter((name) => !own.includes(name)) ?? [];
}

/**
 * Opens the calls of one run of code; `undefined` where it can call no tool.
 *
 * @param site - The model's call of the code.
 * @param sessionId - The session that the call belongs to.
 */
export function openCallsOfRun(
  offloader: Offloader,
  site: CallSite,
  { sessionId, invoke }: { readonly sessionId: string; readonly invoke: InvokeTool },
): CallsOfRun | undefined {
  const calls = offloader.options.code?.calls;
  const listed = listedNames(offloader.options);
  if (calls === undefined || listed.length === 0) return undefined;
  const names = callableNames(offloader);
  const { configurable, toolCallId, signal } = site;
  const callId = toolCallId || "code";
  const { notify } = internals(offloader);
  const onStream = customStream(site);
  // What a worker tells comes in from anywhere.
  const inContext = AsyncLocalStorage.snapshot();
  const inTurn = atMost(calls.maxToolCallsAtOnce);
  const open = new Set<BegunCall>();
  const ending = new AbortController();
  // Every call that goes on listens to it; Node warns of more than ten.
  setMaxListeners(0, ending.signal);
  let timer: NodeJS.Timeout | undefined;
  let isFull = false;

  function begun({ toolName, index, args }: CodeToolCall): BegunCall {
    const argumentBytes = Buffer.byteLength(JSON.stringify(args));
    const call = { toolName, index, argumentBytes, startedAt: performance.now() };
    open.add(call);
    return call;
  }

  /** Tells of each call once. */
  function ended(
    call: BegunCall,
    told: Omit<CallOutcome, "result"> & Partial<Pick<CallOutcome, "result">>,
  ): void {
    if (!open.delete(call)) return;
    const { outcome, resultBytes, result } = told;
    const event = {
      type: "tool-called" as const,
      toolName: call.toolName,
      toolCallId: `${callId}.${call.index}`,
      parentToolCallId: callId,
      scope: scopeOf(sessionId),
      argumentBytes: call.argumentBytes,
      durationMs: performance.now() - call.startedAt,
      outcome,
      resultBytes,
      artifactId: result !== undefined && "storedId" in result ? result.storedId : undefined,
    };
    notify(event);
    emit(onStream, event);
  }

  const outcomeOf = async (
    { toolName: name, index, argumentBytes }: BegunCall,
    args: unknown,
  ): Promise<CallOutcome> => {
    if (calls.asking.has(name)) return refusal(callSentences.needsApproval(name));
    if (!names.includes(name)) return refusal(callSentences.unknownTool(name, names));
    if (argumentBytes > MAX_ARGUMENT_BYTES) {
      return refusal(callSentences.longArguments(name, argumentBytes, MAX_ARGUMENT_BYTES));
    }
    if (!isRecord(args)) return refusal(callSentences.noObject(name));
    if (ending.signal.aborted) return refusal(callSentences.timeOver(calls.toolTimeoutMs));
    if (hasAnswer(configurable)) return refusal(callSentences.answerWaits);
    try {
      const running = inContext(() => invoke({ name, args, id: `${callId}.${index}` }));
      const returned = await orAborted(running, ending.signal);
      const parts = { offloader, limits: calls, toolName: name, sessionId, signal };
      return await callOutcome(returned, parts);
    } catch (error) {
      if (isGraphInterrupt(error)) return refusal(callSentences.interrupts(name));
      if (isGraphBubbleUp(error)) return refusal(callSentences.changesState(name));
      if (!ending.signal.aborted) {
        return await failure(toolErrorText(error), { offloader, toolName: name });
      }
      return { ...refusal(callSentences.timeOver(calls.toolTimeoutMs)), outcome: "abandoned" };
    }
  };

  return {
    names: listed,
    async call({ args = {}, ...given }) {
      timer ??= setTimeout(() => ending.abort(), calls.toolTimeoutMs).unref();
      if (given.index >= calls.maxToolCalls) {
        const outcome = refusal(callSentences.tooMany(calls.maxToolCalls));
        if (!isFull) ended(begun({ ...given, args }), outcome);
        isFull = true;
        return outcome.result;
      }
      return await inTurn(async () => {
        const call = begun({ ...given, args });
        const outcome = await outcomeOf(call, args);
        ended(call, outcome);
        return outcome.result;
      });
    },
    close() {
      clearTimeout(timer);
      ending.abort();
      for (const call of open) ended(call, { outcome: "abandoned", resultBytes: 0 });
    },
  };
}

/** Lets at most so many jobs go on; the others begin in the order in which they came. */
function atMost(limit: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running < limit) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/**
 * Whether a person's answer waits in this task of LangGraph for the tool that asked. Whatever calls `interrupt()` next takes
 * it: a tool that code called would run as if it had been agreed to.
 */
function hasAnswer(configurable: CallSite["configurable"]): boolean {
  const pad = configurable?.["__pregel_scratchpad"];
  if (!isRecord(pad)) return false;
  const { resume, interruptCounter, nullResume } = pad;
  const taken = Number(interruptCounter) + 1;
  return nullResume !== undefined || (Array.isArray(resume) && resume.length > taken);
}
