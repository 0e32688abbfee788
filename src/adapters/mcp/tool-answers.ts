import { withheldSentence } from "../../core/clean/cleaner.js";
import { placeAt, textAt, withTextAt } from "../../core/content/json/json-text.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { recordOf, stringOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { keepLatest } from "../../util/keep-latest.js";
import { shorten } from "../../util/safe-text.js";
import { errorAnswer, MAX_REASON_CHARACTERS, type Message } from "./message.js";
import {
  cleaned,
  redactedError,
  redactedResult,
  redactedSentence,
  redactMembers,
} from "./redact-result.js";
import { type AnsweredToolCall, offloadResult } from "./tool-result.js";

interface ToolAnswers {
  answer(message: Message, request: Message): Promise<string>;
  failure(request: Message, reason: string): Promise<string>;
  told(message: Message): string | Promise<string | undefined>;
}

const MAX_TASKS = 10_000;
/** Of a longer call, a task has no arguments. */
const MAX_KEPT_CHARACTERS = 16_384;

export function isOfTools({ method = "" }: Message): boolean {
  return method === "tools/call" || method.startsWith("tasks/");
}

export function createToolAnswers(
  offloader: Offloader,
  sessionId: string,
  offloads: () => boolean,
): ToolAnswers {
  const tasks = new Map<string, Message["params"]>();

  function noteTask({ text, params }: Message, result: unknown) {
    const taskId = fieldOf(fieldOf(result, "task") ?? result, "taskId");
    const kept = text.length > MAX_KEPT_CHARACTERS ? { name: params["name"] } : params;
    if (typeof taskId === "string") keepLatest(tasks, taskId, kept, MAX_TASKS);
  }

  function callOf(message: Message): AnsweredToolCall {
    const taskId = message.method === "tools/call" ? undefined : stringOf(message.params["taskId"]);
    const { name, arguments: args } = (taskId && tasks.get(taskId)) || message.params;
    return {
      toolName: stringOf(name) ?? "task",
      args: recordOf(args),
      toolCallId: taskId === undefined ? `call ${message.key}` : `task ${taskId}`,
      sessionId,
    };
  }

  async function offloadAnswer(
    text: string,
    keys: readonly string[],
    result: unknown,
    call: AnsweredToolCall,
  ): Promise<string> {
    return await changedAt(text, keys, (json) => {
      if (!isRecord(result)) return redactedError(offloader, json, call);
      return (offloads() ? offloadResult : redactedResult)(offloader, json, result, call);
    });
  }

  /** Only cleans the task. Revisions from 2026-07-28 on carry its result in it, which is offloaded. */
  async function ofTask(
    { text, ...message }: Message,
    member: "result" | "params",
    call: AnsweredToolCall,
  ): Promise<string | undefined> {
    const task = message[member];
    const result = fieldOf(task, "result");
    const done = isRecord(result) ? "result" : undefined;
    const offloaded = done ? await offloadAnswer(text, [member, done], result, call) : text;
    return await changedAt(offloaded, [member], (json) =>
      cleaned<string | undefined>(offloader, call, json, undefined, (cleaner) =>
        redactMembers(json, recordOf(task) ?? {}, cleaner, done),
      ),
    );
  }

  return {
    async answer(message, request) {
      const { text: came, result, error } = message;
      const { method } = request;
      const call = callOf(request);
      if (method === "tools/call") noteTask(request, result);
      const text = error
        ? await changedAt(came, ["error"], (json) => redactedError(offloader, json, call))
        : came;
      if (method === "tools/call" || method === "tasks/result")
        return await offloadAnswer(text, ["result"], result, call);
      const shown = await ofTask({ ...message, text }, "result", call);
      return shown ?? errorAnswer(request, withheldSentence(call.toolName));
    },
    async failure(request, reason) {
      const call = isOfTools(request) ? callOf(request) : undefined;
      const shown = await redactedSentence(offloader, reason, call);
      return errorAnswer(request, shorten(shown, MAX_REASON_CHARACTERS));
    },
    told(message) {
      if (!message.method?.startsWith("notifications/tasks")) return message.text;
      return ofTask(message, "params", callOf(message));
    },
  };
}

async function changedAt<Changed extends string | undefined>(
  text: string,
  keys: readonly string[],
  change: (json: string) => Promise<Changed>,
): Promise<string | Changed> {
  const place = placeAt(text, keys);
  if (place === undefined) return text;
  const json = textAt(text, place);
  const own = await change(json);
  if (own === undefined) return own;
  return own === json ? text : withTextAt(text, place, own);
}
