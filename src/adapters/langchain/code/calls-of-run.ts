import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomInt } from "node:crypto";

import type { ToolMessage } from "@langchain/core/messages";

import type { CallableTools } from "../../../drill-in/code/callable-tools.js";
import { combineListeners } from "../../../observe/combine-listeners.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { ownToolNames } from "../../../options/resolve-options.js";
import { fieldOf } from "../../../util/field-of.js";
import { customStream } from "../run/custom-stream.js";
import type { CallSite } from "../run/call-site.js";
import { failureMessage } from "../tool/errors/failure-message.js";
import { type Attempt, beginAttempt } from "./attempt.js";
import { openCallLog } from "./call-log.js";
import { type InvokeTool, RunStopped, type RunState, type Stop } from "./run-parts.js";
import { callSentences } from "./sentences.js";
import { resumableTask } from "./task-state.js";

/** The calls that one run of code makes, from the model's call of the code to its answer. */
export interface CallsOfRun {
  /** The tools for the code, which begins. */
  start(): CallableTools;
  /**
   * Runs the code, and gives what it gives.
   *
   * @throws What a tool or a question has ended the run with, whatever was made of that on the way.
   */
  settle<Result>(run: () => Promise<Result>): Promise<Result | ToolMessage>;
}

/** The tools that code may call, where somebody can call them. */
export function callableNames({ options }: Pick<Offloader, "options">): readonly string[] {
  const own = ownToolNames(options);
  return options.code?.calls?.tools.filter((name) => !own.includes(name)) ?? [];
}

/**
 * Opens the calls of one run of code; `undefined` where it can call no tool.
 *
 * @param site - The model's call of the code.
 * @param sessionId - The session that the call belongs to.
 * @throws {@link OffloadError} with code `STORE_READ_FAILED` when what the run did before cannot be read.
 */
export async function openCallsOfRun(
  offloader: Offloader,
  site: CallSite,
  { sessionId, invoke }: { readonly sessionId: string; readonly invoke: InvokeTool },
): Promise<CallsOfRun | undefined> {
  const calls = offloader.options.code?.calls;
  const names = callableNames(offloader);
  if (calls === undefined || names.length === 0) return undefined;
  const { configurable, state, toolCallId, toolName, args, signal } = site;
  const { notes, notify } = internals(offloader);
  const task = toolCallId ? resumableTask(configurable, state) : undefined;
  const fresh = { seed: randomInt(2 ** 32), nowMs: offloader.options.now() };
  const code = fieldOf(args, "code");
  const log = await openCallLog(
    fresh,
    task && {
      notes,
      run: { sessionId, key: keyOf(task.id, toolCallId, code) },
      // Where another call of the message may wait for a person, this one is made again after the answer.
      ttlMs: calls.approvalTtlMs,
    },
  );
  let stop: Stop | undefined;
  let attempt: Attempt | undefined;
  const run: RunState = {
    offloader,
    calls,
    names,
    invoke,
    log,
    task,
    sessionId,
    callId: toolCallId || "code",
    signal,
    notify: combineListeners(notify, customStream(site)),
    inContext: AsyncLocalStorage.snapshot(),
    check() {
      if (stop !== undefined) throw new RunStopped();
    },
    end(why) {
      const isFirst = stop === undefined;
      stop ??= why;
      return isFirst;
    },
    stop(why) {
      run.end(why);
      throw new RunStopped();
    },
  };

  return {
    start() {
      attempt?.close();
      const begun = beginAttempt(run);
      attempt = begun;
      return {
        names,
        repeatable: log.repeatable,
        saves: {
          before: (number) => log.saved.get(number),
          add: (saved) => log.add({ ...saved, what: "saved" }).catch(() => {}),
          otherWay: (number) => run.stop({ sentence: callSentences.otherSave(number) }),
        },
        call: (call) => begun.call(call),
      };
    },
    async settle(runCode) {
      let result: Awaited<ReturnType<typeof runCode>> | ToolMessage | undefined;
      try {
        result = await runCode();
      } catch (error) {
        if (stop === undefined) throw error;
      } finally {
        attempt?.close();
      }
      const ended: Stop | undefined = stop;
      if (ended !== undefined && "thrown" in ended) throw ended.thrown;
      if (task?.isAlone !== false) await log.delete();
      if (ended !== undefined) result = failureMessage(ended.sentence, toolName, toolCallId ?? "");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a stop the code gave a result.
      return result as Awaited<ReturnType<typeof runCode>> | ToolMessage;
    },
  };
}

/** Of one call of the code: a provider may give two calls the same id, and a task is never run for another message. */
function keyOf(taskId: string, toolCallId: string | undefined, code: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([taskId, toolCallId, code]))
    .digest("hex");
}
