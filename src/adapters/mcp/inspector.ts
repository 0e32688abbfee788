import { keepLatest } from "../../util/keep-latest.js";
import { internals } from "../../offload/offloader.js";
import { rehearse } from "../../offload/rehearse.js";
import { scopeOf } from "../../store/naming.js";
import { placeAt, textAt } from "../../content/json/json-place.js";
import { withValueAt } from "../../content/json/json-edit.js";
import { isRecord } from "../../util/is-record.js";
import { cancelledKey, errorAnswer, type Message, refusal, resultAnswer } from "./message.js";
import { createOwnTools } from "./own-tools.js";
import { isFromProxy, withProxyFlag } from "./proxy-flag.js";
import type { InspectorOptions } from "./inspector-options.js";
import { createResourceDesk } from "./resources/resource-desk.js";
import { withOwnTools } from "./tool-list.js";
import { redactedError, redactedJson } from "./results/redact-result.js";
import type { AnsweredToolCall } from "./results/answered-tool-call.js";
import { offloadResult } from "./results/tool-result.js";

/** What becomes of a message of the client: an answer is `undefined` when it has cancelled the request. */
type ClientStep =
  | { readonly forward: string }
  | { readonly answer: Promise<string | undefined> }
  | { readonly ignored: true };

/** Looks at the messages between a client and a server, and changes those of the four kinds that matter. */
export interface Inspector {
  /** A message on its way to the server. */
  fromClient(message: Message): ClientStep;
  /** A message on its way to the client: the same text when nothing is to change. Never rejects. */
  fromServer(message: Message): string | Promise<string>;
  /** Whether the server has not answered this request yet; without a key, whether any waits. */
  isPending(key?: string): boolean;
  /** The answer to a request that the server will not answer; `undefined` when nobody waits for it. */
  fail(key: string, reason: string): string | undefined;
  /** The same for all of them. */
  failAll(reason: string): string[];
  /** Tells the client nothing more by itself. */
  close(): void;
}

interface PendingRequest {
  readonly request: Message;
  /** The task whose result is asked for. */
  readonly taskId?: string | undefined;
}

/** Requests that wait for an answer at once; one more is refused. */
const MAX_PENDING = 100_000;
const REPEATED =
  "Another request with this id waits for its answer, which is still to come; use an id that is not in use.";
/** Tasks whose tool is known; the oldest go first. */
const MAX_TASKS = 10_000;

/** Makes an inspector for one connection. */
export function createInspector(options: InspectorOptions): Inspector {
  const { offloader, sessionId, role, offloads = true, resources, warn } = options;
  const scope = scopeOf(sessionId);
  rehearse(offloader);
  const grants = internals(offloader).grantsOf(options.grants, scope);
  const own = createOwnTools(offloader, scope, grants);
  const desk = resources && createResourceDesk({ ...resources, offloader, scope, grants, warn });
  const pending = new Map<string, PendingRequest>();
  const running = new Map<string, AbortController>();
  const tasks = new Map<string, Message>();
  const hidden = new Set<string>();
  let isActive = offloads;

  function warnOfHidden(name: string): void {
    if (hidden.has(name)) return;
    hidden.add(name);
    warn(
      `The server has a tool ${JSON.stringify(name)}; the one that reads stored outputs hides it.`,
    );
  }

  async function answerHere(
    request: Message,
    key: string,
    answer: (signal: AbortSignal) => Promise<string>,
  ): Promise<string | undefined> {
    const cancelled = new AbortController();
    running.set(key, cancelled);
    try {
      const text = await answer(cancelled.signal);
      return cancelled.signal.aborted ? undefined : text;
    } catch (error) {
      return cancelled.signal.aborted ? undefined : errorAnswer(request, String(error));
    } finally {
      running.delete(key);
    }
  }

  /** How a request is answered here; `undefined` when the server answers it. */
  function answering(request: Message): ((signal: AbortSignal) => Promise<string>) | undefined {
    const { method, params } = request;
    if (method !== "tools/call") return desk?.answering(request);
    const { name, arguments: args } = params;
    if (typeof name !== "string" || !own.has(name)) return undefined;
    return async (signal) => resultAnswer(request, await own.call(name, args, signal));
  }

  function cancel(message: Message): boolean {
    const key = cancelledKey(message) ?? "";
    pending.delete(key);
    const call = running.get(key);
    call?.abort();
    return call !== undefined;
  }

  function fromClient(message: Message): ClientStep {
    const { text, key, method, params } = message;
    if (method === "initialize" || isFromProxy(message))
      isActive = offloads && !isFromProxy(message);
    desk?.note(message);
    if (method === "notifications/cancelled" && cancel(message)) return { ignored: true };
    if (method === undefined || key === undefined) return { forward: text };
    // Forwarded, the two could not be told apart, and one answer would be taken for the other.
    if (pending.has(key) || running.has(key)) {
      return { answer: Promise.resolve(refusal(message, REPEATED)) };
    }
    const answer = isActive ? answering(message) : undefined;
    if (answer !== undefined) return { answer: answerHere(message, key, answer) };
    if (pending.size >= MAX_PENDING) {
      return {
        answer: Promise.resolve(errorAnswer(message, "Too many requests wait for an answer.")),
      };
    }
    const { taskId } = params;
    pending.set(key, {
      request: message,
      taskId: method.startsWith("tasks/") && typeof taskId === "string" ? taskId : undefined,
    });
    return { forward: role === "proxy" ? withProxyFlag(message) : text };
  }

  /** The request that is answered; a server that holds numbers as doubles may round the id of one. */
  function answeredKey(key: string): string | undefined {
    if (pending.has(key)) return key;
    const number = Number(key);
    if (Number.isNaN(number) || Number.isSafeInteger(number)) return undefined;
    return [...pending.keys()].find((asked) => Number(asked) === number);
  }

  function fromServer(message: Message): string | Promise<string> {
    const { text, key: said, method, result } = message;
    if (said === undefined || method !== undefined) return text;
    const key = answeredKey(said) ?? said;
    const answered = pending.get(key);
    if (answered === undefined) return text;
    pending.delete(key);
    if (!isActive && offloader.options.redact === undefined) return text;
    if (result === undefined) return errorOf(message, answered);
    switch (answered.request.method) {
      case "tools/list":
        return isActive ? withOwnTools(message, own, warnOfHidden) : text;
      case "tools/call":
        noteTask(answered.request, result);
        return walk(message, ["result"], result, answered);
      case "tasks/result":
        return walk(message, ["result"], result, answered);
      case "tasks/get": {
        // Revisions from 2026-07-28 on carry the result of a finished task in the task.
        const inner = isRecord(result) ? result["result"] : undefined;
        return isRecord(inner) ? walk(message, ["result", "result"], inner, answered) : text;
      }
      default:
        return (isActive ? desk?.merged(answered.request, message) : undefined) ?? text;
    }
  }

  /** An error that a server answers with in place of a tool's result. */
  function errorOf(
    message: Message,
    { request, taskId }: PendingRequest,
  ): string | Promise<string> {
    const isOfTool = request.method === "tools/call" || request.method === "tasks/result";
    if (!isOfTool || offloader.options.redact === undefined) return message.text;
    return changedAt(message, ["error"], { request, taskId }, async (json, call) =>
      redactedError(offloader, json, call),
    );
  }

  function noteTask(call: Message, result: unknown): void {
    if (!isRecord(result)) return;
    const task = isRecord(result["task"]) ? result["task"] : result;
    if (typeof task["taskId"] === "string") keepLatest(tasks, task["taskId"], call, MAX_TASKS);
  }

  /** A finished result: offloaded, or for a client that gets all of it redacted. */
  async function walk(
    message: Message,
    keys: readonly string[],
    result: unknown,
    answered: PendingRequest,
  ): Promise<string> {
    const shorten = isActive ? offloadResult : redactedJson;
    return await changedAt(message, keys, answered, (json, call) =>
      shorten(offloader, json, result, call),
    );
  }

  async function changedAt(
    { text }: Message,
    keys: readonly string[],
    { request, taskId }: PendingRequest,
    change: (json: string, call: AnsweredToolCall) => Promise<string>,
  ): Promise<string> {
    const call = taskId === undefined ? request : (tasks.get(taskId) ?? request);
    const { name, arguments: args } = call.params;
    const place = placeAt(text, keys);
    if (place === undefined) return text;
    const json = textAt(text, place);
    const walked = await change(json, {
      toolName: typeof name === "string" ? name : "task",
      args: isRecord(args) ? args : undefined,
      callId: taskId === undefined ? `call ${request.key}` : `task ${taskId}`,
      sessionId,
      link: desk && ((artifact) => desk.link(artifact)),
    });
    return walked === json ? text : withValueAt(text, keys, walked);
  }

  function fail(said: string, reason: string): string | undefined {
    const key = answeredKey(said) ?? said;
    const answered = pending.get(key);
    pending.delete(key);
    return answered && errorAnswer(answered.request, reason);
  }

  return {
    fromClient,
    fromServer,
    isPending: (key) => (key === undefined ? pending.size > 0 : pending.has(key)),
    fail,
    close: () => desk?.close(),
    failAll: (reason) => [...pending.keys()].flatMap((key) => fail(key, reason) ?? []),
  };
}
