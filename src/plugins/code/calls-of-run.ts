import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";

import type { AgentHost, CalledTool, ToolSite } from "../../adapters/langchain/agent-hooks.js";
import { isJson } from "../../core/content/value/any-json.js";
import { scopeOf } from "../../core/store/naming.js";
import { orAborted } from "../../util/abort.js";
import { isRecord } from "../../util/is-record.js";
import type { CodeCalls } from "./call-options.js";
import { callSentences } from "./call-sentences.js";
import type { CallableTools, CallResult, CodeToolCall } from "./request.js";

/** The calls that one run of code makes, from the model's call of the code to its answer. */
export interface CallsOfRun extends CallableTools {
  /** Nobody waits for a result any more: tells of the calls that have none. */
  close(): void;
}

/** A call that was begun, and has to be told of. */
interface BegunCall extends Pick<CodeToolCall, "toolName" | "index"> {
  readonly argumentBytes: number;
  readonly startedAt: number;
}

/** Of one call, as JSON. The engine itself hands over no more. */
const MAX_ARGUMENT_BYTES = 262_144;

/** What became of a call, for the code and for those who watch. */
interface CallOutcome {
  readonly outcome: "returned" | "failed" | "refused" | "abandoned";
  readonly result: CallResult;
  /** Of the JSON, the stored text or the message. */
  readonly resultBytes: number;
}

/** The model's call of the code. */
interface RunParts extends Omit<ToolSite, "sessionId"> {
  readonly sessionId: string;
  readonly host: AgentHost;
  readonly calls: CodeCalls;
  /** Tools of the options. */
  readonly listed: readonly string[];
  /** Of these, those that need no person's approval. */
  readonly callable: readonly string[];
}

/** Opens the calls of one run of code. */
export function openCallsOfRun(parts: RunParts): CallsOfRun {
  const { site, sessionId, callTool, emit, host, calls, listed, callable } = parts;
  const { toolCallId, signal } = site;
  const callId = toolCallId || "code";
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
    emit({
      type: "tool-called",
      toolName: call.toolName,
      toolCallId: `${callId}.${call.index}`,
      parentToolCallId: callId,
      scope: scopeOf(sessionId),
      argumentBytes: call.argumentBytes,
      durationMs: performance.now() - call.startedAt,
      outcome,
      resultBytes,
      artifactId: result !== undefined && "storedId" in result ? result.storedId : undefined,
    });
  }

  const outcomeOf = async (
    { toolName: name, index, argumentBytes }: BegunCall,
    args: unknown,
  ): Promise<CallOutcome> => {
    if (calls.asking.has(name)) return refusal(callSentences.needsApproval(name));
    if (!callable.includes(name)) return refusal(callSentences.unknownTool(name, callable));
    if (argumentBytes > MAX_ARGUMENT_BYTES) {
      return refusal(callSentences.longArguments(name, argumentBytes, MAX_ARGUMENT_BYTES));
    }
    if (!isRecord(args)) return refusal(callSentences.noObject(name));
    if (ending.signal.aborted) return refusal(callSentences.timeOver(calls.toolTimeoutMs));
    try {
      const called = inContext(() => callTool({ name, args, id: `${callId}.${index}` }));
      return await taken(name, await orAborted(called, ending.signal));
    } catch (error) {
      if (!ending.signal.aborted) throw error;
      return { ...refusal(callSentences.timeOver(calls.toolTimeoutMs)), outcome: "abandoned" };
    }
  };

  /** What code gets of what a tool gave: its data, whole. */
  async function taken(toolName: string, called: CalledTool): Promise<CallOutcome> {
    if (called.status === "stored") return stored(called.stored.id, called.stored.sizeBytes);
    const text = "text" in called ? called.text : undefined;
    if (called.status === "failed") {
      const error = text ?? "";
      return { outcome: "failed", result: { error }, resultBytes: Buffer.byteLength(error) };
    }
    if (called.status !== "returned") return refusal(text ?? refusalOf(called.status, toolName));
    if (text === undefined) return inline("null", 4);
    const resultBytes = Buffer.byteLength(text);
    const { maxInlineResultBytes, maxResultBytes } = calls;
    if (resultBytes > maxResultBytes)
      return refusal(callSentences.longResult(toolName, resultBytes, maxResultBytes));
    if (resultBytes <= maxInlineResultBytes)
      return inline(isData(text) ? text : JSON.stringify(text), resultBytes);
    const { storedArtifact } = await host.offloader.put(text, { sessionId, toolName, signal });
    return stored(storedArtifact.id, resultBytes);
  }

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

function refusalOf(status: Exclude<CalledTool["status"], "stored">, toolName: string): string {
  if (status === "answer-waits") return callSentences.answerWaits;
  if (status === "interrupts") return callSentences.interrupts(toolName);
  return status === "no-text"
    ? callSentences.noText(toolName)
    : callSentences.changesState(toolName);
}

/** Whether a text stands for a value. A number written otherwise may be a version or a hash, and a text may have quotes. */
function isData(text: string): boolean {
  const isText = /^\s*"/.test(text) || (/^\s*-?\d/.test(text) && String(Number(text)) !== text);
  return !isText && isJson(text);
}

/** An exception that the code gets in place of the call, or of its result. */
function refusal(error: string): CallOutcome {
  return { outcome: "refused", result: { error }, resultBytes: 0 };
}

function inline(json: string, resultBytes: number): CallOutcome {
  return { outcome: "returned", result: { json }, resultBytes };
}

function stored(storedId: string, resultBytes: number): CallOutcome {
  return { outcome: "returned", result: { storedId }, resultBytes };
}
